// Arrays of more elements, bytes or chunks than 64 bits count: only the selection must fit.
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;
using test::check_refused;

namespace {

namespace huge {

using Memory = MemoryStore<HostBuffer>;
constexpr std::uint64_t most = (std::uint64_t{1} << 63) - 1, large = std::uint64_t{1} << 62;

template <class Array>
std::vector<std::int32_t> read(Array const& array, auto const& selection) {
  auto const found = array.read(selection);
  return {found.elements().begin(), found.elements().end()};
}

}  // namespace huge
}  // namespace

TEST_CASE("an array of 2^62 int32 is opened, and its parts are read, written and filled") {
  using namespace huge;
  Memory const store;
  for (auto const length : {large, most}) {
    auto const path = std::to_string(length);
    create_array<std::int32_t, 1>(store, path, {.shape = {length}, .chunks = {1000}, .fill = 7});
    auto const array = open_array<std::int32_t, 1>(store, path);
    CHECK(array.shape() == Extents{length});
    CHECK(array.size() == length);
    array.write({{length - 3, length}}, std::vector<std::int32_t>{1, 2, 3});
    array.fill({{998, 1002}}, 9);
    CHECK(read(array, Box{{length - 5, length}}) == std::vector<std::int32_t>{7, 7, 1, 2, 3});
    CHECK(read(array, Box{{0, length, large / 2}}).front() == 7);
    CHECK(read(array, Points{std::vector{length - 1, std::uint64_t{999}, length - 2}}) ==
          std::vector<std::int32_t>{3, 9, 2});
    CHECK(read(array, Orthogonal{std::vector{std::uint64_t{1001}, length - 1}}) == std::vector<std::int32_t>{9, 3});
    check_refused<MetadataError>([&] { array.read(all); }, {"the array"});
  }
}

TEST_CASE("an array of more elements and chunks than 64 bits count") {
  using namespace huge;
  Memory const store;
  create_array<std::int32_t, 3>(store, "a", {.shape = {large, large, most}, .chunks = {2, 3, 5}});
  auto const array = open_array<std::int32_t, 3>(store, "a");
  check_refused<MetadataError>([&] { array.size(); }, {"shape", "does not fit in 64 bits"});
  CHECK(array.chunk_shape() == Extents{2, 3, 5});
  std::vector<std::int32_t> elements(4 * 4 * 4);
  std::iota(elements.begin(), elements.end(), 1);
  Box const corner{{large - 4, large}, {large - 4, large}, {most - 4, most}};
  array.write(corner, elements);
  CHECK(read(array, corner) == elements);
  // Points are sorted by chunks, which are counted from the first one in the selection.
  std::vector const x{large - 1, large - 2, large - 4}, y{large - 1, large - 2, large - 1},
      z{most - 1, most - 3, most - 4};
  CHECK(read(array, Points{x, y, z}) == std::vector<std::int32_t>{64, 42, 13});
  array.write(Points{x, y, z}, std::vector<std::int32_t>{-1, -2, -3});
  CHECK(read(array, Points{x, y, z}) == std::vector<std::int32_t>{-1, -2, -3});
  std::vector const far{large - 1, std::uint64_t{0}}, last{most - 1, std::uint64_t{0}};
  check_refused<SelectionError>([&] { array.read(Points{far, far, last}); }, {"too far apart", "2^64 - 1"});
  check_refused<MetadataError>([&] { array.fill(all, 1); }, {"the number of chunks", "does not fit in 64 bits"});
}

TEST_CASE("arrays of more chunks than 64 bits count grow and shrink") {
  using namespace huge;
  Memory const store;
  create_array<std::int32_t, 2>(store, "a", {.shape = {4, large}, .chunks = {2, 2}});
  auto const array = open_array<std::int32_t, 2>(store, "a");
  array.fill({{0, 4}, {large - 3, large}}, 1);
  CHECK(test::value(store, "a/c/1/" + std::to_string(large / 2 - 1)) != "(missing)");
  array.resize({large, large});
  CHECK(array.shape() == Extents{large, large});
  array.fill({{large - 1, large}, {1, 2}}, 2);
  array.resize({3, large - 1});
  CHECK(read(array, Box{{0, 3}, {large - 4, large - 1}}) == std::vector<std::int32_t>{0, 1, 1, 0, 1, 1, 0, 1, 1});
  CHECK(test::value(store, "a/c/" + std::to_string(large / 2 - 1) + "/0") == "(missing)");
  array.resize({large, large});
  CHECK(read(array, Box{{2, 4}, {large - 2, large}}) == std::vector<std::int32_t>{1, 0, 0, 0});
  check_refused<MetadataError>([&] { array.resize({std::uint64_t{1} << 63, 4}); }, {"shape[0]", "9223372036854775808"});
  CHECK(array.shape() == Extents{large, large});
}

TEST_CASE("an append ends where a dimension can be counted") {
  using namespace huge;
  Memory const store;
  create_array<std::int32_t, 1>(store, "a", {.shape = {most - 2}, .chunks = {1000}});
  auto const array = open_array<std::int32_t, 1>(store, "a");
  check_refused<MetadataError>(
      [&] {
        array.append(std::vector<std::int32_t>{1, 2, 3});
      },
      {"shape[0]", "9223372036854775808"});
  CHECK(array.shape() == Extents{most - 2});
  array.append(std::vector<std::int32_t>{1, 2});
  CHECK(array.shape() == Extents{most});
  CHECK(read(array, Box{{most - 3, most}}) == std::vector<std::int32_t>{0, 1, 2});
}

TEST_CASE("shards of an array of more elements than 64 bits count are compacted") {
  using namespace huge;
  using Shards = codec::Sharding<Pipeline<space::Host, codec::Bytes>>;
  Memory const store;
  auto const array = create_array<std::int32_t, 2>(store, "a", {.shape = {large, large}, .chunks = {4, 4}},
                                                   Pipeline<space::Host, Shards>{Shards{{2, 2}}});
  array.fill({{large - 4, large}, {large - 4, large}}, 1);
  auto const appending = WriteOptions{.append_to_shards = true};
  array.fill({{large - 4, large - 2}, {large - 4, large - 2}}, 2, appending);
  CHECK(array.untyped().compact() > 0);
  CHECK(read(array, Box{{large - 3, large - 2}, {large - 4, large}}) == std::vector<std::int32_t>{2, 2, 1, 1});
}

TEST_CASE("a rectilinear grid of 2^62 rows") {
  using namespace huge;
  Memory const store;
  auto const document = test::array_document()
                            .set("shape", "[4611686018427387904, 4611686018427387904]")
                            .set("data_type", "\"int32\"")
                            .set("codecs", R"([{"name": "bytes", "configuration": {"endian": "little"}}])")
                            .set("chunk_grid", R"({"name": "rectilinear", "configuration": {"kind": "inline",
                                 "chunk_shapes": [[[2, 5], [3, 1537228672809129298]], 4]}})");
  test::put(store, "a/zarr.json", document.text());
  auto const array = open_array<std::int32_t, 2>(store, "a");
  array.write({{large - 1, large}, {8, 10}}, std::vector<std::int32_t>{1, 2});
  CHECK(read(array, Box{{large - 2, large}, {8, 11}}) == std::vector<std::int32_t>{0, 0, 0, 1, 2, 0});
  array.resize({large - 1, large});
  CHECK(read(array, Box{{large - 2, large - 1}, {8, 11}}) == std::vector<std::int32_t>{0, 0, 0});
}
