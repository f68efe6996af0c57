// A shard that is written as a whole, its chunks in the order of its index, is held once. Chunks that come in another
// order are copied into that order: the value is the same. Shards written in part, before or after, take no further
// memory.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <support/allocations.hpp>
#include <support/child.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;

namespace {

namespace of_drafts {

constexpr std::uint64_t chunk = 1 << 17, chunks = 64, shard = chunk * chunks;  // bytes

// Each chunk has bytes of its own; every fifth has the fill value.
std::vector<std::uint8_t> elements_of(std::uint64_t count) {
  std::vector<std::uint8_t> elements(count);
  for (std::uint64_t i = 0; i < count; ++i)
    elements[i] = i / chunk % 5 == 3 ? std::uint8_t{0} : static_cast<std::uint8_t>(i / chunk + 1);
  return elements;
}

// Copies bytes. A chunk that begins with 1 waits until two others have been encoded.
struct LateFirst {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "tessera.test.late_first";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  std::shared_ptr<std::atomic<int>> encoded = std::make_shared<std::atomic<int>>(0);

  static LateFirst from(ObjectReader&) { return {}; }
  Value configuration() const { return Members{}; }
  std::size_t encoded_bound(std::size_t decoded) const { return decoded; }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    std::memcpy(to.data, from.data, from.size);
    return from.size;
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    if (from.data[0] == std::byte{1})
      for (auto before = encoded->load(); before < 2; before = encoded->load()) encoded->wait(before);
    encoded->fetch_add(1);
    encoded->notify_all();
    return decode(from, to, on);
  }
};

// Copies bytes, and says that they might become a hundred times as many.
struct Loose : LateFirst {
  static constexpr std::string_view name = "tessera.test.loose";
  static Loose from(ObjectReader&) { return {}; }
  std::size_t encoded_bound(std::size_t decoded) const { return 100 * decoded; }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    return decode(from, to, on);
  }
};

template <class Inner>
using ShardsOf = codec::Sharding<Inner>;
using Raw = Pipeline<space::Host, codec::Bytes>;
using Late = Pipeline<space::Host, codec::Bytes, LateFirst>;

template <class Inner>
auto array_in(auto const& store, std::uint64_t count, bool index_at_start, std::size_t threads) {
  ShardsOf<Inner> shards{{chunk}};
  shards.index_at_start = index_at_start;
  return create_array<std::uint8_t, 1>(store, "a", {.shape = {count}, .chunks = {shard}},
                                       Pipeline<space::Host, ShardsOf<Inner>>{shards}, Queue<space::Host>{threads});
}

// Writes the whole array at once, and chunk by chunk from the last on, in which case each shard is composed anew.
template <class Inner>
void check_values(std::uint64_t count, bool index_at_start, std::size_t threads) {
  CAPTURE(count);
  CAPTURE(index_at_start);
  CAPTURE(threads);
  auto const elements = elements_of(count);
  MemoryStore<HostBuffer> const at_once, by_chunks;
  auto const composed = array_in<Raw>(by_chunks, count, index_at_start, 1);
  for (auto i = (count + chunk - 1) / chunk; i-- > 0;) {
    auto const first = i * chunk, last = std::min(count, first + chunk);
    composed.write({{first, last}}, std::span{elements}.subspan(first, last - first));
  }
  auto const array = array_in<Inner>(at_once, count, index_at_start, threads);
  for (int round = 0; round < 2; ++round) {  // the second uses the memory of the first
    array.write(all, elements, {.mini_batch = 1});
    for (auto const* key : {"a/c/0", "a/c/1"}) CHECK((test::value(at_once, key) == test::value(by_chunks, key)));
  }
  std::vector<std::uint8_t> found(count);
  array.read(all, found);
  CHECK((found == elements));
}

}  // namespace of_drafts
}  // namespace

TEST_CASE("a whole shard is held once while it is written") {
  using namespace of_drafts;
  test::TemporaryFolder const folder;
  auto const elements = elements_of(shard);
  for (bool at_start : {false, true}) {
    CAPTURE(at_start);
    auto const array = array_in<Raw>(LocalStore<HostBuffer>{folder / std::to_string(at_start)}, shard, at_start, 1);
    test::Allocations counted;
    array.write(all, elements);
    counted.stop();
    CHECK(counted.peak() > static_cast<std::ptrdiff_t>(shard / 2));  // the counter works
    CHECK(counted.peak() < static_cast<std::ptrdiff_t>(shard + shard / 2));
  }
}

TEST_CASE("shards written as a whole, and in part, keep within the budget together") {
  using namespace of_drafts;
  test::TemporaryFolder const folder;
  std::uint64_t const count = 2 * shard - 1;
  auto const elements = elements_of(2 * shard);
  for (std::uint64_t first = 0; first < 2; ++first) {  // the second shard is written in part, or the first one
    CAPTURE(first);
    LocalStore<HostBuffer> const store{folder / std::to_string(first)};
    array_in<Raw>(store, 2 * shard, false, 1).write(all, elements);
    auto const array =
        open_array<std::uint8_t, 1, Pipeline<space::Host, ShardsOf<Raw>>>(store, "a", Queue<space::Host>{1});
    constexpr std::uint64_t budget = 3 * shard + shard / 2;
    test::Allocations counted;
    array.write({{first, first + count}}, std::span{elements}.subspan(first, count), {.memory = budget});
    counted.stop();
    CHECK(counted.peak() > static_cast<std::ptrdiff_t>(2 * shard));  // the counter works
    CHECK(counted.peak() <= static_cast<std::ptrdiff_t>(budget));
  }
}

TEST_CASE("a whole shard is written where the system refuses memory for the most bytes that it may have") {
  using namespace of_drafts;
  auto const elements = elements_of(shard);
  MemoryStore<HostBuffer> const store;
  auto const array = array_in<Pipeline<space::Host, codec::Bytes, Loose>>(store, shard, false, 1);
  rlimit old{};
  REQUIRE(::getrlimit(RLIMIT_AS, &old) == 0);
  CHECK(test::in_child([&] {
    std::ifstream sizes{"/proc/self/statm"};  // in pages
    rlim_t pages = 0;
    if (!(sizes >> pages)) return false;
    rlimit const few{pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (rlim_t{512} << 20), old.rlim_max};
    if (::setrlimit(RLIMIT_AS, &few) != 0) return false;
    array.write(all, elements, {.mini_batch = 1});
    std::vector<std::uint8_t> found(shard);
    array.read(all, found, {.mini_batch = 1});
    return found == elements;
  }));
}

TEST_CASE("a whole shard has the same value in whatever order its chunks are encoded") {
  using namespace of_drafts;
  for (bool at_start : {false, true}) {
    for (auto const count : {shard, shard + 3 * chunk, 2 * shard - chunk / 2}) {
      check_values<Raw>(count, at_start, 1);
      check_values<Raw>(count, at_start, 3);
    }
    check_values<Late>(shard, at_start, 2);
  }
}
