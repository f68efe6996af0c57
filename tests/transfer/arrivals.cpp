// Chunks of a distant store are decoded and placed as they arrive, while others travel.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
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
using HostQueue = Queue<space::Host>;

// Reads values in any order, and tells of some, of some twice.
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
      auto const times = state->tells_all ? 1 : state->random(0, 2);
      request.size = values.read(*request.key, request.range, request.destination, on);
      for (std::size_t i = 0; request.arrived && i < times; ++i) {
        (*request.arrived)(request.size);
        ++state->told;
        if (state->seen) state->seen();
      }
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

TEST_CASE("stores that tell of some arrivals, or of one twice: every element as without") {
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
