// Memory for the inner chunks of a shard, however small they are: the shard's index, 16 bytes for each, and the
// bookkeeping of some mini-batches.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <support/allocations.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;

namespace {

namespace of_tiny_chunks {

constexpr std::uint64_t chunks = 100'000, index_bytes = 16 * chunks;  // bytes
constexpr std::ptrdiff_t fixed = 12 << 20;                            // for a mini-batch, whatever the shard has

template <class F>
std::ptrdiff_t peak_of(F&& f) {
  test::Allocations counted;
  f();
  counted.stop();
  return counted.peak();
}

}  // namespace of_tiny_chunks
}  // namespace

TEST_CASE("a shard of 100000 inner chunks of a byte: its index is held once, and 120 bytes of each chunk at most") {
  using namespace of_tiny_chunks;
  using Inner = Pipeline<space::Host, codec::Bytes>;
  using Shards = codec::Sharding<Inner>;
  using P = Pipeline<space::Host, Shards>;
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder.path()};
  std::vector<std::uint8_t> elements(chunks);
  std::iota(elements.begin(), elements.end(), std::uint8_t{1});
  P const pipeline{Shards{{1}}};
  NewArray<std::uint8_t> const wanted{.shape = {chunks}, .chunks = {chunks}};
  {
    auto const array = create_array<std::uint8_t, 1>(store, "a", wanted, pipeline, Queue<space::Host>{1});
    auto const written = peak_of([&] { array.write(all, elements); });
    CHECK(written < fixed + static_cast<std::ptrdiff_t>(120 * chunks));
  }
  auto const open = [&] { return open_array<std::uint8_t, 1, P>(store, "a", Queue<space::Host>{1}); };
  std::vector<std::uint8_t> found(chunks), one(1);
  {
    auto const array = open();
    auto const read = peak_of([&] { array.read(all, found); });
    CHECK((found == elements));
    CHECK(read < fixed + static_cast<std::ptrdiff_t>(24 * chunks));
    CHECK(read > static_cast<std::ptrdiff_t>(index_bytes));  // the counter works
  }
  {
    auto const array = open();
    auto const read = peak_of([&] { array.read({{70'000, 70'001}}, one); });
    CHECK(one[0] == elements[70'000]);
    CHECK(read < static_cast<std::ptrdiff_t>(index_bytes + index_bytes / 10));
    CHECK(read > static_cast<std::ptrdiff_t>(index_bytes));
  }
  // A budget includes the index.
  auto const array = open();
  CHECK_THROWS_AS(array.read({{0, 1}}, one, {.memory = index_bytes / 2}), BudgetError);
  auto const budget = 2 * index_bytes;
  auto const read = peak_of([&] { array.read(all, found, {.memory = budget}); });
  CHECK(read <= static_cast<std::ptrdiff_t>(budget));
}

TEST_CASE("a write of part of a large shard that is nearly empty, and its compaction, are held to what it has") {
  using namespace of_tiny_chunks;
  using Shards = codec::Sharding<Pipeline<space::Host, codec::Bytes>>;
  constexpr std::uint64_t shard = 1 << 30, chunk = 1 << 15;  // bytes; an index of 512 KiB
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder.path()};
  auto const array =
      create_array<std::uint8_t, 1>(store, "a", {.shape = {2 * shard}, .chunks = {shard}},
                                    Pipeline<space::Host, Shards>{Shards{{chunk}}}, Queue<space::Host>{1});
  constexpr std::uint64_t budget = 8 << 20;
  std::vector<std::uint8_t> const elements(3 * chunk, 7);
  std::vector<std::uint8_t> found(elements.size());
  for (auto const first : {std::uint64_t{0}, 5 * chunk + 1, shard - chunk}) {
    CAPTURE(first);
    Box const part{{first, first + elements.size()}};
    auto const written = peak_of([&] { array.write(part, elements, {.memory = budget}); });
    CHECK(written <= static_cast<std::ptrdiff_t>(budget));
    array.read(part, found);
    CHECK((found == elements));
  }
  array.write({{0, elements.size()}}, elements, {.memory = budget, .append_to_shards = true});
  auto const compacted = peak_of([&] { CHECK(array.untyped().compact({.memory = budget}) > 0); });
  CHECK(compacted <= static_cast<std::ptrdiff_t>(budget));
  std::vector<std::uint8_t> const many(shard / 64, 7);
  CHECK_THROWS_AS(array.write({{0, many.size()}}, many, {.memory = budget}), BudgetError);
}
