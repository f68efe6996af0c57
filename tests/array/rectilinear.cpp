// Arrays whose chunks have different lengths (specification: chunk-grids/rectilinear).
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/array/convert.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;
using test::check_refused;

namespace rectilinear_tests {
namespace {

using Memory = MemoryStore<HostBuffer>;
using Numbers = std::vector<std::int32_t>;

std::string grid(std::string const& chunk_shapes) {
  return R"({"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": )" + chunk_shapes + "}}";
}

void put(Memory const& store, std::string const& shape, std::string const& chunk_shapes,
         std::string const& codecs = R"([{"name": "bytes", "configuration": {"endian": "little"}}])") {
  test::put(store, "zarr.json",
            test::array_document()
                .set("shape", shape)
                .set("data_type", "\"int32\"")
                .set("fill_value", "-1")
                .set("chunk_grid", grid(chunk_shapes))
                .set("codecs", codecs)
                .text());
}

std::map<std::string, std::size_t> sizes(Memory const& store) {
  std::map<std::string, std::size_t> found;
  store.list("", [&](Listed const& entry) {
    if (entry.path != "zarr.json") found[std::string{entry.path}] = static_cast<std::size_t>(entry.size);
  });
  return found;
}

Numbers count(std::size_t n) {
  Numbers numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

template <class Read>
Numbers values(Read const& read) {
  return {read.begin(), read.end()};
}

}  // namespace

TEST_CASE("the edges of chunks: numbers, lists, runs, and chunks beyond the shape (GRID-09, GRID-10, GRID-11, G-47)") {
  Memory const store;
  put(store, "[6, 6, 6, 6, 6]", "[4, [1, 2, 3], [[4, 2]], [[1, 3], 3], [4, 4, 4]]");
  auto const array = open_array<std::int32_t, 5>(store);
  CHECK(array.chunk_shape() == Extents{4, 3, 4, 3, 4});
  CHECK(array.grid_shape() == Extents{2, 3, 2, 4, 2});
  CHECK(array.read(Box{0, 0, 0, 0, 0})(0, 0, 0, 0, 0) == -1);
  array.write(Box{0, 0, 0, 4, 0}, Numbers{5});
  CHECK(sizes(store) == std::map<std::string, std::size_t>{{"c/0/0/0/3/0", 4 * 4 * 1 * 4 * 3 * 4}});
  auto const box = array.chunk_box({1, 1, 1, 3, 1}).resolve({6, 6, 6, 6, 6});
  CHECK(box.first == Extents{4, 1, 4, 3, 4});
  CHECK(box.count == Extents{2, 2, 2, 3, 2});
  check_refused<SelectionError>([&] { array.chunk_box({0, 3, 0, 0, 0}); }, {"found chunk 3", "below 3"});
}

TEST_CASE("documents of grids that are none are refused (GRID-09, GRID-10, GRID-11)") {
  auto const refused = [](char const* shapes, std::initializer_list<char const*> words) {
    Memory const store;
    put(store, "[6, 6]", shapes);
    check_refused<MetadataError>([&] { open_any(store); }, words);
  };
  refused("[[4, 2]]", {"chunk_grid.configuration.chunk_shapes", "2 items"});
  refused("[[4, 1], 3]", {"chunk_shapes[0]", "sum is at least 6"});
  refused("[[0, 6], 3]", {"chunk_shapes[0][0]", "from 1"});
  refused("[0, 3]", {"chunk_shapes[0]", "from 1"});
  refused("[[[3, 0]], 3]", {"chunk_shapes[0][0][1]", "from 1"});
  refused("[[[3, 2, 1]], 3]", {"chunk_shapes[0][0]", "a length and a count"});
  refused("[[[9223372036854775807, 2]], 3]", {"chunk_shapes[0]", "sum is at most"});
  refused("[[[9223372036854775807, 9223372036854775807]], 3]", {"chunk_shapes[0]", "64 bits"});
  refused("[3.0, 3]", {"chunk_shapes[0]"});
  refused("3", {"chunk_shapes", "a list"});
  Memory const store;
  put(store, "[6]", "[3]");
  auto document = parse_json(test::value(store, "zarr.json"));
  document["chunk_grid"]["configuration"]["kind"] = "other";
  test::put(store, "zarr.json", to_json(document));
  check_refused<MetadataError>([&] { open_any(store); }, {"chunk_grid.configuration.kind", "\"inline\""});
  document["chunk_grid"] = "rectilinear";
  test::put(store, "zarr.json", to_json(document));
  check_refused<MetadataError>([&] { open_any(store); }, {"chunk_grid.configuration"});
}

TEST_CASE("a grid of one length along each dimension is a regular one") {
  Memory const store;
  put(store, "[6, 5]", "[4, 2]");
  auto const array = open_array<std::int32_t, 2>(store);
  CHECK(array.metadata().edges.empty());
  array.resize({7, 5});
  CHECK(array.grid_shape() == Extents{2, 3});
}

TEST_CASE("a run of any number of chunks takes no memory (GRID-13)") {
  Memory const store;
  put(store, "[1000000000000000000]", "[[1, [1, 999999999999999999]]]");
  auto const array = open_array<std::int32_t, 1>(store);
  CHECK(array.metadata().edges[0].runs.size() == 1);
  array.write(Box{{999999999999999990, 999999999999999993}}, Numbers{1, 2, 3});
  CHECK(values(array.read(Box{{999999999999999989, 999999999999999994}})) == Numbers{-1, 1, 2, 3, -1});
  CHECK(sizes(store).size() == 3);
}

TEST_CASE("every chunk is stored with its own lengths (GRID-12)") {
  Memory const store;
  put(store, "[10]", "[[3, 1, [4, 2]]]");
  auto const array = open_array<std::int32_t, 1>(store);
  array.write(all, count(10));
  CHECK(sizes(store) == std::map<std::string, std::size_t>{{"c/0", 12}, {"c/1", 4}, {"c/2", 16}, {"c/3", 16}});
  auto const last = test::value(store, "c/3");
  CHECK(last.substr(8) == std::string(8, '\xff'));  // the fill value, beyond the array
  test::put(store, "c/1", "ab");
  check_refused<CodecError>([&] { array.read(all); }, {"key \"c/1\"", "2 bytes"});
}

TEST_CASE("selections of every kind, read and written, are those of a regular array (GRID-04, GRID-12)") {
  for (auto const* codecs : {R"([{"name": "bytes", "configuration": {"endian": "little"}}])",
                             R"([{"name": "transpose", "configuration": {"order": [1, 0]}},
                                 {"name": "bytes", "configuration": {"endian": "big"}}, {"name": "crc32c"}])",
                             R"([{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 3],
                                 "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
                                 "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
                                                  {"name": "crc32c"}]}}])"}) {
    CAPTURE(codecs);
    Memory const store, other;
    put(store, "[11, 20]", "[[[2, 2], 4, 2, [6, 2]], [3, 6, [3, 2], 9]]", codecs);
    auto const array = open_array<std::int32_t, 2>(store);
    auto const regular =
        create_array<std::int32_t, 2>(other, "", {.shape = {11, 20}, .chunks = {4, 7}, .fill = -1});
    auto const check = [&](auto const& selection, char const* what) {
      CAPTURE(what);
      auto const expected = values(regular.read(selection));
      CHECK(values(array.read(selection)) == expected);
      Numbers fresh(expected.size());
      for (std::size_t i = 0; i < fresh.size(); ++i) fresh[i] = static_cast<std::int32_t>(1000 + 7 * i);
      array.write(selection, fresh);
      regular.write(selection, fresh);
      CHECK(values(array.read(all)) == values(regular.read(all)));
    };
    check(Box{{3, 9}, {2, 19}}, "a box of a new array");
    array.write(all, count(220));
    regular.write(all, count(220));
    check(all, "all");
    check(Box{{1, 10}, {2, 13}}, "a box");
    check(Box{{0, 11, 3}, {1, 20, 4}}, "steps");
    check(Box{5, {7, 8}}, "one");
    check(Box{{4, 4}, {0, 20}}, "none");
    check(Orthogonal{std::vector{9, 0, 3}, Slice{0, 20, 2}}, "a list");
    check(Orthogonal{std::vector{9, 0, 3, 3}, std::vector{19, 1, 2}}, "lists, with repeats");
    check(Points{std::vector{0, 10, 4, 4, 0}, std::vector{0, 19, 3, 2, 0}}, "points");
    std::vector<std::uint8_t> bits;
    for (int i = 0; i < 220; ++i) bits.push_back(i * i % 7 < 3);
    check(Mask{bits}, "a mask");
    CHECK(values(array.read(Blocks{{1, 4}, 2})) == values(regular.read(Box{{2, 10}, {9, 12}})));
    CHECK(values(array.read(Blocks{{0, 5, 2}, all})) ==
          values(regular.read(Orthogonal{std::vector{0, 1, 4, 5, 6, 7, 10}, all})));
    auto const converted = read_as<double>(array, Box{{3, 9}, {2, 19}});
    auto const expected = regular.read(Box{{3, 9}, {2, 19}});
    CHECK(std::equal(converted.begin(), converted.end(), expected.begin(), expected.end()));
  }
}

TEST_CASE("inner chunks divide every edge (GRID-14)") {
  Memory const store;
  auto const codecs = [](char const* shape) {
    return std::string{R"([{"name": "sharding_indexed", "configuration": {"chunk_shape": )"} + shape +
           R"(, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
              "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}}])";
  };
  put(store, "[12]", "[[4, 2, 6]]", codecs("[4]"));
  check_refused<MetadataError>([&] { open_any(store); },
                               {"configuration.chunk_shape", "a divisor of the shard's shape"});
  put(store, "[12]", "[[4, 2, 6]]", codecs("[2]"));
  auto const array = open_array<std::int32_t, 1>(store);
  array.write(all, count(12));
  CHECK(sizes(store) == std::map<std::string, std::size_t>{{"c/0", 48}, {"c/1", 24}, {"c/2", 72}});
  CHECK(values(open_array<std::int32_t, 1>(store).read(Box{{3, 8}})) == Numbers{3, 4, 5, 6, 7});
  check_refused<MetadataError>([&] { array.compact(); }, {"key \"zarr.json\"", "chunk_grid", "rectilinear"});
}

TEST_CASE("such an array grows and shrinks as far as its edges reach, and along regular axes without bound") {
  Memory const store, other;
  put(store, "[7, 6]", "[3, [4, [3, 3], 2]]");
  auto const array = open_array<std::int32_t, 2>(store);
  auto const regular = create_array<std::int32_t, 2>(other, "", {.shape = {7, 6}, .chunks = {3, 3}, .fill = -1});
  auto const check = [&](Extents const& shape) {
    CAPTURE(to_string(shape));
    array.resize(shape);
    regular.resize(shape);
    CHECK(values(array.read(all)) == values(regular.read(all)));
    CHECK(open_any(store).shape() == shape);
    auto const fresh = count(static_cast<std::size_t>(element_count(shape, "")));
    array.write(all, fresh);
    regular.write(all, fresh);
  };
  for (auto const& shape : {Extents{7, 15}, Extents{11, 9}, Extents{4, 3}, Extents{1, 15}, Extents{9, 12}})
    check(shape);
  array.resize({9, 4});
  CHECK(sizes(store).size() == 3);  // empty ones are erased
  array.resize({9, 15});
  CHECK(array.read(Box{0, {3, 6}})(0, 1) == -1);
  array.append(std::vector<std::int32_t>(30, 8));
  CHECK(array.shape() == Extents{11, 15});
  CHECK(array.read(Box{10, 14})(0, 0) == 8);
  check_refused<MetadataError>([&] { array.resize({11, 16}); }, {"chunk_shapes[1]", "sum is at least 16"});
  CHECK(array.shape() == Extents{11, 15});
}

TEST_CASE("such an array is made as its metadata says (GRID-15)") {
  Memory const store;
  put(store, "[10, 4]", "[[3, 1, [4, 2]], 3]");
  auto metadata = open_any(store).metadata();
  Queue<space::Host> on;
  store.erase({"zarr.json"}, on);
  auto const array = create_any(store, "b", metadata);
  CHECK(
      to_json(parse_json(test::value(store, "b/zarr.json")).at("chunk_grid").at("configuration").at("chunk_shapes")) ==
      to_json(parse_json("[[3, 1, [4, 2]], 3]")));
  array.as<std::int32_t, 2>().write(all, count(40));
  CHECK(values(open_array<std::int32_t, 2>(store, "b").read(all)) == count(40));
  metadata.chunk_shape = {3, 3};
  check_refused<MetadataError>([&] { create_any(store, "c", metadata); }, {"longest"});
  metadata.format = ZarrFormat::v2;
  metadata.chunk_shape = {4, 3};
  check_refused<MetadataError>([&] { create_any(store, "d", metadata); }, {"rectilinear"});
}

}  // namespace rectilinear_tests
