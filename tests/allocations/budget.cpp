// Reads and writes keep their memory below the given budget, however large the array is. Counted is memory from
// operator new, without the libraries' contexts, which come from malloc: chunks, values, and bookkeeping. The elements
// in memory exist before, and the values are in files.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <support/allocations.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;

namespace {

constexpr std::uint64_t edge = 256, chunk_size = edge * edge;  // bytes
constexpr std::uint64_t budget = 16 * chunk_size;

// Values have their maximum length.
std::vector<std::uint8_t> noise(std::size_t n) {
  std::vector<std::uint8_t> result(n);
  std::uint64_t state = 88172645463325252u;
  for (auto& element : result) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    element = static_cast<std::uint8_t>(state);
  }
  return result;
}

struct Run {
  static constexpr std::string_view direct = "read, raw: right into the elements";
  std::size_t threads, times;  // how many budgets the array has

  template <class F>
  void check(std::string_view what, F&& f) const {
    CAPTURE(std::string{what});
    test::Allocations counted;
    f();
    counted.stop();
    CHECK(counted.peak() <= static_cast<std::ptrdiff_t>(budget));
    if (what != direct) CHECK(counted.peak() >= static_cast<std::ptrdiff_t>(chunk_size));  // the counter works
  }

  // Each with a queue of its own, which keeps no earlier memory.
  template <class P>
  void operator()(P const& pipeline) const {
    CAPTURE(threads);
    CAPTURE(times);
    test::TemporaryFolder const folder;
    LocalStore<HostBuffer> const store{folder.path()};
    std::uint64_t const rows = times * 16 * edge;
    auto const open = [&] { return open_array<std::uint8_t, 2, P>(store, "a", Queue<space::Host>{threads}); };
    create_array<std::uint8_t, 2>(store, "a", {.shape = {rows, edge}, .chunks = {edge, edge}}, pipeline,
                                  Queue<space::Host>{});
    auto const elements = noise(rows * edge);
    std::vector<std::uint8_t> found(rows * edge);
    auto const whole = open(), partial = open(), reading = open(), parts = open(), listed = open();
    Box const inner{{1, rows - 1}, {1, edge - 1}};  // no chunk is whole
    std::vector<std::uint8_t> const part((rows - 2) * (edge - 2), 3);
    std::vector<std::uint8_t> part_found(part.size());
    check("write", [&] { whole.write(all, elements, {.memory = budget}); });
    check(std::same_as<P, Pipeline<space::Host, codec::Bytes>> ? direct : "read",
          [&] { reading.read(all, found, {.memory = budget}); });
    CHECK((found == elements));
    check("read parts", [&] {
      parts.read({{0, rows, 2}, all}, std::span{found}.first(rows / 2 * edge), {.memory = budget});
    });
    std::vector<std::uint64_t> gaps;  // two of three: parts by the thousand
    for (std::uint64_t i = 0; i < edge; ++i)
      if (i % 3 != 0) gaps.push_back(i);
    Orthogonal const pairs{gaps, gaps};
    check("read lists",
          [&] { listed.read(pairs, std::span{found}.first(gaps.size() * gaps.size()), {.memory = budget}); });
    check("write parts", [&] { partial.write(inner, part, {.memory = budget}); });
    reading.read(inner, part_found, {.memory = budget});
    CHECK((part_found == part));
  }
};

}  // namespace

TEST_CASE("reads and writes hold no more than their budget, be the array 4 or 40 times as large") {
  for (std::size_t threads : {1u, 2u, 4u})
    for (std::size_t times : {4u, 40u}) {
      if (times == 40 && threads != 2) continue;  // seconds
      Run const run{threads, times};
      run(Pipeline<space::Host, codec::Bytes>{});
      run(Pipeline<space::Host, codec::Bytes, codec::Zstd>{});
      run(Pipeline<space::Host, codec::Bytes, codec::Zstd, codec::Crc32c, codec::Crc32c>{});
    }
}

namespace {

// Files that are read one range at a time.
struct OneByOne {
  using buffer_type = HostBuffer;
  LocalStore<HostBuffer> files;
  using On = Queue<space::Host>;
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination, On& on) const {
    return files.read(key, range, destination, on);
  }
  void write(Key const& key, ByteView<space::Host> value, On& on) const { files.write(key, value, on); }
  bool erase(Key const& key, On& on) const { return files.erase(key, on); }
};

}  // namespace

TEST_CASE("reads of shards hold no more than their budget, read whole and by ranges that are joined") {
  using Inner = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  using P = Pipeline<space::Host, codec::Sharding<Inner>>;
  constexpr std::uint64_t rows = 128 * edge;
  auto const elements = noise(rows * edge);
  auto const check = [&](auto const& store, std::uint64_t per_shard) {
    create_array<std::uint8_t, 2>(store, "a", {.shape = {rows, edge}, .chunks = {per_shard * edge, edge}},
                                  P{codec::Sharding<Inner>{{edge, edge}}}, Queue<space::Host>{})
        .write(all, elements);
    for (std::size_t threads : {1u, 2u}) {
      std::vector<std::uint8_t> found(rows * edge);
      auto const array = open_array<std::uint8_t, 2, P>(store, "a", Queue<space::Host>{threads});
      array.keep_shard_indexes(1 << 16);  // so that the second read is by ranges
      test::Allocations counted;
      array.read(all, found, {.memory = budget});
      array.read(all, found, {.memory = budget});
      counted.stop();
      CHECK((found == elements));
      CHECK(counted.peak() <= static_cast<std::ptrdiff_t>(budget));
      CHECK(counted.peak() >= static_cast<std::ptrdiff_t>(chunk_size));  // the counter works
    }
  };
  test::TemporaryFolder const folder;
  for (std::uint64_t per_shard : {2u, 7u}) {
    LocalStore<HostBuffer> const files{folder / std::to_string(per_shard)};
    check(files, per_shard);
    check(OneByOne{LocalStore<HostBuffer>{folder / ("ranges" + std::to_string(per_shard))}}, per_shard);
  }
}

namespace {

// The smallest accepted budget, which the refusal of a smaller one names.
template <class F>
std::uint64_t least(F&& f) try {
  f(1);
  return 0;
} catch (BudgetError const& error) {
  std::string const line = error.what();
  return std::stoull(line.substr(line.find("takes ") + 6));
}

template <class P>
void check_least(P const& pipeline) {
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder.path()};
  NewArray<std::uint8_t> const wanted{.shape = {edge * 8, edge}, .chunks = {edge, edge}};
  auto const first = create_array<std::uint8_t, 2>(store, "a", wanted, pipeline, Queue<space::Host>{});
  first.write(all, noise(edge * 8 * edge));
  Box const inner{{1, edge * 8 - 1}, {1, edge - 1}};
  std::vector<std::uint8_t> elements = noise((edge * 8 - 2) * (edge - 2));
  first.write(inner, elements);  // the store makes the locks of its keys once: they do not belong to a write
  auto const check = [&](auto&& run) {
    auto const array = open_array<std::uint8_t, 2, P>(store, "a", Queue<space::Host>{4});
    auto const enough = least([&](std::uint64_t memory) { run(array, memory); });
    REQUIRE(enough > chunk_size);
    test::Allocations counted;
    run(array, enough);
    counted.stop();
    CHECK(counted.peak() <= static_cast<std::ptrdiff_t>(enough));
    CHECK(counted.peak() > static_cast<std::ptrdiff_t>(chunk_size));
  };
  check([&](auto const& array, std::uint64_t memory) { array.write(inner, elements, {.memory = memory}); });
  check([&](auto const& array, std::uint64_t memory) { array.read(inner, elements, {.memory = memory}); });
  CHECK((elements == noise(elements.size())));
}

}  // namespace

TEST_CASE("the least budget is enough: one chunk at a time") {
  check_least(Pipeline<space::Host, codec::Bytes>{});
  check_least(Pipeline<space::Host, codec::Bytes, codec::Zstd>{});
  check_least(Pipeline<space::Host, codec::Bytes, codec::Crc32c, codec::Crc32c, codec::Zstd>{});
}

TEST_CASE("compacting what is selected holds nothing for each shard") {
  using Shards = codec::Sharding<Pipeline<space::Host, codec::Bytes>>;
  constexpr std::uint64_t shards = 1 << 16;
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder.path()};
  auto const array = create_array<std::uint8_t, 1>(store, "a", {.shape = {shards * 4}, .chunks = {4}},
                                                   Pipeline<space::Host, Shards>{Shards{{2}}}, Queue<space::Host>{1});
  array.fill({{8, 12}}, 7);
  test::Allocations counted;
  CHECK(array.compact(Box{all}) == 0);
  counted.stop();
  CHECK(counted.peak() <= static_cast<std::ptrdiff_t>(shards));
  CHECK(counted.peak() > 0);
}
