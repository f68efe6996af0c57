// Chunks of a distant store are decoded and placed as they arrive, while others travel.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/random.hpp>
#include <support/refused.hpp>
#include <tessera/store/get.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;
using test::Random;

namespace arrivals_tests {

using Memory = MemoryStore<HostBuffer>;
using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
using Shards = codec::Sharding<Zstd>;
using ZstdCodecs = Codecs<codec::Bytes, codec::Zstd>;
using HostQueue = Queue<space::Host>;

// Reads values in any order, and tells of some, of some too seldom or too often.
struct Distant {
  using buffer_type = HostBuffer;
  using Space = space::Host;
  struct State {
    Random random;
    std::size_t told = 0;
    bool tells_all = false;
    std::function<void()> seen{};  // after each
  };
  Memory values{};
  std::shared_ptr<State> state;

  std::string name() const { return "distant"; }
  static bool is_near() { return false; }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> to, HostQueue& on) const {
    return values.read(key, range, to, on);
  }
  void get_many(std::span<ReadRequest<Space>> requests, HostQueue& on) const {
    std::vector<std::size_t> order(requests.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[state->random(0, i - 1)]);
    for (auto const r : order) {
      auto& request = requests[r];
      auto const times = state->tells_all ? every_chunk : state->random(0, 20);
      request.size = values.read(*request.key, request.range, request.destination, on);
      for (std::size_t i = 0; request.arrived && i < times; ++i) {
        ++state->told;
        if (!(*request.arrived)(request.size) && (state->tells_all || state->random.one_in(2))) break;
      }
      if (request.arrived && state->seen) state->seen();
    }
  }
  void write(Key const& key, ByteView<Space> value, HostQueue& on) const { values.write(key, value, on); }
  bool erase(Key const& key, HostQueue& on) const { return values.erase(key, on); }
};

std::vector<std::int32_t> numbered(std::size_t count) {
  std::vector<std::int32_t> elements(count);
  std::iota(elements.begin(), elements.end(), 1);
  return elements;
}

TEST_CASE("elements of a chunk that arrived are in place while others travel") {
  Distant const store{{}, std::make_shared<Distant::State>(Distant::State{Random{1}})};
  HostQueue const on{1};
  auto const elements = numbered(std::size_t{512} * 1024);
  auto const array = create_array<std::int32_t, 2>(store, "a", {.shape = {512, 1024}, .chunks = {64, 512}}, Zstd{}, on);
  array.write(all, elements);
  std::vector<std::int32_t> found(elements.size());
  store.state->tells_all = true;
  std::vector<std::size_t> there;
  store.state->seen = [&] {
    there.push_back(static_cast<std::size_t>(std::ranges::count_if(found, [](auto one) { return one != 0; })));
  };
  array.with(ReadOptions{.mini_batch = 16}).read(all, found);
  CHECK(found == elements);
  REQUIRE(there.size() == 16);
  for (std::size_t i = 0; i < there.size(); ++i) CHECK(there[i] == (i + 1) * 64 * 512);
}

TEST_CASE("elements of a whole shard that arrived are in place while others travel") {
  Distant const store{{}, std::make_shared<Distant::State>(Distant::State{Random{1}})};
  HostQueue const on{1};
  auto const elements = numbered(std::size_t{512} * 1024);
  auto const read_whole = [&](auto const& array) {
    std::vector<std::int32_t> found(elements.size());
    store.state->tells_all = true;
    std::vector<std::size_t> there;
    store.state->seen = [&] {
      there.push_back(static_cast<std::size_t>(std::ranges::count_if(found, [](auto one) { return one != 0; })));
    };
    Traffic traffic;
    array.with(ReadOptions{.traffic = &traffic}).read(all, found);
    store.state->seen = {};
    CHECK(found == elements);
    CHECK(traffic.chunks == 64);
    CHECK(traffic.missing == 0);
    REQUIRE(there.size() == 4);  // one request for each shard
    for (std::size_t i = 0; i < there.size(); ++i) CHECK(there[i] == (i + 1) * 128 * 1024);
  };
  SUBCASE("of chunks") {
    NewArray<std::int32_t> const what{.shape = {512, 1024}, .shards = {128, 1024}, .chunks = {32, 256}};
    create_array<std::int32_t, 2>(store, "a", what, Zstd{}, on).write(all, elements);
    read_whole(open_array<std::int32_t, 2, ZstdCodecs>(store, "a", on));
  }
  SUBCASE("of shards of chunks") {
    using Inner = Pipeline<space::Host, Shards>;
    codec::Sharding<Inner> const outer{.chunk_shape = {64, 512}, .inner = Inner{Shards{.chunk_shape = {32, 256}}}};
    Pipeline<space::Host, codec::Sharding<Inner>> const nested{outer};
    create_array<std::int32_t, 2>(store, "a", {.shape = {512, 1024}, .chunks = {128, 1024}}, nested, on)
        .write(all, elements);
    read_whole(open_array<std::int32_t, 2, ZstdCodecs>(store, "a", on));
  }
}

// Counts the bytes that a queue takes, and has not given back.
class Counted : public std::pmr::memory_resource {
 public:
  std::size_t most() const { return most_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    most_ = std::max(most_, held_ += bytes);
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    held_ -= bytes;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(std::pmr::memory_resource const& other) const noexcept override { return this == &other; }

  std::size_t held_ = 0, most_ = 0;
};

// Bytes that the queue of a whole read held at most.
template <class S>
std::size_t most_of_read(S const& store, std::vector<std::int32_t> const& elements) {
  Counted memory;
  HostQueue const on{1, &memory};
  std::vector<std::int32_t> found(elements.size());
  open_array<std::int32_t, 2, ZstdCodecs>(store, "a", on).read(all, found);
  CHECK(found == elements);
  return memory.most();
}

TEST_CASE("chunks from far take decoded memory for about a MiB of them, whether the store tells of arrivals or not") {
  for (bool const tells : {false, true})
    for (bool const shards : {false, true}) {
      CAPTURE(tells);
      CAPTURE(shards);
      Distant const store{{}, std::make_shared<Distant::State>(Distant::State{Random{1}})};
      std::vector<std::int32_t> const elements(std::size_t{4096} * 1024, 7);  // 16 MiB, which zstd makes small
      NewArray<std::int32_t> what{.shape = {4096, 1024}, .shards = {}, .chunks = {64, 512}};
      if (shards) what.shards = {1024, 1024};
      create_array<std::int32_t, 2>(store, "a", what, Zstd{}).write(all, elements);
      store.state->tells_all = tells;
      auto const most = most_of_read(store, elements);
      CHECK(most >= std::size_t{128} << 10);
      CHECK(most <= std::size_t{2} << 20);
    }
}

// Each value is another one at each look, 40 times.
struct Replaced : Distant {
  std::shared_ptr<std::uint64_t> looks = std::make_shared<std::uint64_t>(0);
  ValueWatch watch(Key const&) const {
    return ValueWatch{{.numbers = {std::min<std::uint64_t>(++*looks, 40)}, .is_there = true, .is_settled = true}};
  }
};

TEST_CASE("a whole shard that is replaced while it is read takes the memory of one, however often") {
  for (bool const tells : {false, true}) {
    CAPTURE(tells);
    Replaced const store{{{}, std::make_shared<Distant::State>(Distant::State{Random{1}})}};
    Random random{2};
    std::vector<std::int32_t> elements(std::size_t{512} * 1024);  // 2 MiB, which zstd leaves as large
    for (auto& one : elements) one = static_cast<std::int32_t>(random(0, 0xffffffff));
    NewArray<std::int32_t> const what{.shape = {512, 1024}, .shards = {256, 1024}, .chunks = {64, 512}};
    create_array<std::int32_t, 2>(static_cast<Distant const&>(store), "a", what, Zstd{}).write(all, elements);
    store.state->tells_all = tells;
    CHECK(most_of_read(store, elements) <= std::size_t{4} << 20);
    CHECK(*store.looks > 40);
  }
}

TEST_CASE("stores that tell of some arrivals, too seldom or too often: every element as without") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    Distant const store{{}, std::make_shared<Distant::State>(Distant::State{random})};
    HostQueue const on{1};
    Extents const shape{random(100, 299), 300};
    bool const shards = random.one_in(2);
    NewArray<std::int32_t> what{.shape = shape, .shards = {}, .chunks = {64, 300}, .fill = -7};
    if (shards) what.shards = {128, 300};
    auto const array = create_array<std::int32_t, 2>(store, "a", what, Zstd{}, on);
    auto const rows = random(0, shape[0] - 1);
    auto expected = numbered(shape[0] * 300);
    if (rows > 0) {
      array.write({{0, rows}, all}, std::span{expected}.first(rows * 300));
    }
    std::fill(expected.begin() + static_cast<std::ptrdiff_t>(rows * 300), expected.end(), -7);
    Traffic traffic;
    std::vector<std::int32_t> found(expected.size());
    array.with(ReadOptions{.traffic = &traffic}).read(all, found);
    CHECK(found == expected);
    auto const first = random(0, shape[0] - 1);
    std::vector<std::int32_t> part((shape[0] - first) * 300);
    array.read({{first, shape[0]}, all}, part);
    CHECK(std::equal(part.begin(), part.end(), expected.begin() + static_cast<std::ptrdiff_t>(first * 300)));
  }
}

TEST_CASE("a damaged chunk among those that arrive is named, and the read can be repeated") {
  Distant const store{{}, std::make_shared<Distant::State>(Distant::State{Random{1}})};
  store.state->tells_all = true;
  HostQueue const on{1};
  auto const elements = numbered(std::size_t{512} * 512);
  auto const array = create_array<std::int32_t, 2>(store, "a", {.shape = {512, 512}, .chunks = {64, 512}}, Zstd{}, on);
  array.write(all, elements);
  Key const damaged{"a/c/5/0"};
  auto queue = on;
  auto const value = get_value(store.values, damaged, queue);
  test::Bytes const wrong(100, std::byte{7});
  store.write(damaged, {wrong.data(), wrong.size()}, queue);
  std::vector<std::int32_t> found(elements.size());
  test::check_refused<CodecError>([&] { array.read(all, found); }, {"distant", "a/c/5/0", "zstd"});
  store.write(damaged, value->view(), queue);
  array.read(all, found);
  CHECK(found == elements);
}

TEST_CASE("a damaged chunk of a shard that arrives is named, and so is one that the shard has a part of") {
  Distant const store{{}, std::make_shared<Distant::State>(Distant::State{Random{1}})};
  store.state->tells_all = true;
  HostQueue on{1};
  auto const elements = numbered(std::size_t{512} * 512);
  NewArray<std::int32_t> const what{.shape = {512, 512}, .shards = {128, 512}, .chunks = {64, 256}};
  create_array<std::int32_t, 2>(store, "a", what, Zstd{}, on).write(all, elements);
  Key const shard{"a/c/2/0"};
  auto const value = get_value(store.values, shard, on);
  test::Bytes const good(value->view().data, value->view().data + value->view().size);
  std::vector<std::int32_t> found(elements.size());
  auto const read_anew = [&](test::Bytes const& bytes) {
    store.write(shard, {bytes.data(), bytes.size()}, on);
    open_array<std::int32_t, 2, ZstdCodecs>(store, "a", on).read(all, found);
  };
  auto wrong = good;
  wrong[0] = wrong[1] = std::byte{7};
  test::check_refused<CodecError>([&] { read_anew(wrong); }, {"distant", "a/c/2/0", "[4, 0]", "zstd"});
  test::Bytes const shorter(good.begin() + 100, good.end());  // 100 is more than the index, behind the last chunk
  test::check_refused<CodecError>([&] { read_anew(shorter); }, {"distant", "a/c/2/0", "[5, 1]", "the shard has only"});
  wrong = good;
  wrong.back() ^= std::byte{1};
  test::check_refused<CodecError>([&] { read_anew(wrong); }, {"distant", "a/c/2/0", "crc32c"});
  read_anew(good);
  CHECK(found == elements);
}

// Names itself in errors, those of readers too, as stores of a network do.
struct Naming : Distant {
  void get_many(std::span<ReadRequest<Space>> requests, HostQueue& on) const try {
    Distant::get_many(requests, on);
  } catch (Error& error) {
    error.in_store(name());
    throw;
  }
};

TEST_CASE("a damaged chunk that arrives through another store is named as that store names it") {
  Naming const store{{{}, std::make_shared<Distant::State>(Distant::State{Random{1}})}};
  store.state->tells_all = true;
  HostQueue on{1};
  PrefixStore const below{store, "folder"};
  auto const elements = numbered(std::size_t{512} * 512);
  auto const array = create_array<std::int32_t, 2>(below, "a", {.shape = {512, 512}, .chunks = {64, 512}}, Zstd{}, on);
  array.write(all, elements);
  test::Bytes const wrong(100, std::byte{7});
  store.write(Key{"folder/a/c/5/0"}, {wrong.data(), wrong.size()}, on);
  std::vector<std::int32_t> found(elements.size());
  test::check_refused<CodecError>([&] { array.read(all, found); }, {"distant/folder", "\"a/c/5/0\"", "zstd"});
}

TEST_CASE("chunks count once, however often the store tells of them") {
  Distant const store{{}, std::make_shared<Distant::State>(Distant::State{Random{1}})};
  HostQueue const on{1};
  auto const elements = numbered(std::size_t{512} * 512);
  auto const array = create_array<std::int32_t, 2>(store, "a", {.shape = {512, 512}, .chunks = {64, 512}}, Zstd{}, on);
  array.write({{0, 256}, all}, std::span{elements}.first(elements.size() / 2));
  std::vector<std::int32_t> found(elements.size());
  auto const told = store.state->told;
  for (int i = 0; i < 10; ++i) {
    Traffic traffic, once;
    array.with(ReadOptions{.traffic = &traffic}).read(all, found);
    store.state->tells_all = true;
    array.with(ReadOptions{.traffic = &once}).read(all, found);
    store.state->tells_all = false;
    CHECK(traffic.missing == 4);
    CHECK(traffic.missing == once.missing);
    CHECK(traffic.fetched == once.fetched);
    CHECK(traffic.decoded == once.decoded);
  }
  CHECK(store.state->told > told);
}

}  // namespace arrivals_tests
