// Functions derived from a store's one primitive, and the helper for stores with more.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/store_conformance.hpp>
#include <tessera/store/detail/coalesce.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;

namespace {

// Only the primitive, of a store that counts requests.
struct Plain {
  using buffer_type = HostBuffer;
  MemoryStore<HostBuffer> values;
  std::size_t* reads;
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  test::HostQueue& on) const {
    ++*reads;
    return values.read(key, range, destination, on);
  }
};

std::string runs(std::vector<WantedRange> wanted, std::uint64_t gap) {
  std::string shown;
  for (auto const run : runs_within(wanted, {gap})) {
    for (auto const& range : run) shown += std::to_string(range.request) + ' ';
    shown += "| ";
  }
  return shown;
}

}  // namespace

TEST_CASE("get_into reads into memory given, if the value fits") {
  MemoryStore<HostBuffer> const store;
  test::put(store, "k", "0123456789");
  test::HostQueue on;
  auto memory = test::bytes("............");
  CHECK(get_into(store, {"k"}, test::span(memory), on) == 10);
  CHECK(test::text(test::view(memory)) == "0123456789..");
  CHECK(get_into(store, {"k"}, test::span(memory), on, {5, 2}) == 2);
  CHECK(test::text(test::view(memory)) == "5623456789..");
  CHECK_FALSE(get_into(store, {"missing"}, test::span(memory), on));
  test::check_refused<StoreError>([&] { get_into(store, {"k"}, test::span(memory).sub(0, 9), on); },
                                  {"memory store: ", "key \"k\"", "10 bytes", "9 bytes"});
  CHECK(test::text(test::view(memory)) == "5623456789..");
}

TEST_CASE("the size of a value is known without reading it, from any store") {
  std::size_t reads = 0;
  Plain const store{{}, &reads};
  test::put(store.values, "k", "0123456789");
  test::put(store.values, "empty", "");
  test::HostQueue on;
  CHECK(value_size(store, {"k"}, on) == 10);
  CHECK(value_size(store, {"empty"}, on) == 0);
  CHECK_FALSE(value_size(store, {"missing"}, on));
  CHECK(reads == 3);
  test::check_refused<StoreError>([&] { value_size(store, {"../k"}, on); }, {"key \"../k\"", "not a key"});
}

TEST_CASE("ranges whose gaps are small are one run") {
  CHECK(runs({}, 10) == "");
  CHECK(runs({{0, 5, 0}}, 0) == "0 | ");
  CHECK(runs({{0, 5, 0}, {5, 5, 1}}, 0) == "0 1 | ");
  CHECK(runs({{0, 5, 0}, {6, 5, 1}}, 0) == "0 | 1 | ");
  CHECK(runs({{15, 5, 0}, {0, 5, 1}}, 10) == "1 0 | ");  // in the order of their bytes
  CHECK(runs({{16, 5, 0}, {0, 5, 1}}, 10) == "1 | 0 | ");
  CHECK(runs({{0, 100, 0}, {10, 5, 1}, {105, 5, 2}}, 10) == "0 1 2 | ");  // the gap is to the end of all before
  CHECK(runs({{7, 0, 0}, {20, 0, 1}}, 12) == "0 | 1 | ");
  auto const large = ~std::uint64_t{0};
  CHECK(runs({{large - 5, 5, 0}, {0, 1, 1}}, large) == "1 0 | ");
}

TEST_CASE("every range is in one run, and no two runs are close") {
  std::mt19937 random{1};
  for (int round = 0; round < 200; ++round) {
    std::vector<WantedRange> wanted;
    for (std::size_t i = 0; i < random() % 20; ++i) wanted.push_back({random() % 1000, random() % 40, i});
    std::uint64_t const gap = random() % 50;
    std::vector<int> seen(wanted.size());
    std::uint64_t end = 0;
    bool first = true, right = true;
    for (auto const run : runs_within(wanted, {gap})) {
      right = right && !run.empty() && (first || run.front().offset > end + gap);
      end = run.front().offset;
      for (auto const& range : run) {
        right = right && range.offset <= end + gap;
        end = std::max(end, range.offset + range.size);
        ++seen[range.request];
      }
      first = false;
    }
    CHECK(right);
    CHECK(std::ranges::count(seen, 1) == static_cast<std::ptrdiff_t>(wanted.size()));
  }
}
