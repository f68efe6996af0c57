// Shapes at the edges: no dimensions, one, a zero length, chunks larger than the array or of one element.
#include <cstdint>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/written_array.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;

namespace {

using Memory = MemoryStore<HostBuffer>;

test::ArrayContent counting(Extents const& shape, Extents const& chunk_shape) {
  std::vector<std::uint16_t> elements(test::size_of(shape));
  std::iota(elements.begin(), elements.end(), std::uint16_t{1});
  return {data_type_of<std::uint16_t>(), shape, chunk_shape, test::memory_of(elements)};
}

}  // namespace

TEST_CASE("an array without dimensions is one element, under the key c") {
  Memory const store;
  test::write_array(store, "a", counting({}, {}), codec::Transpose{}, codec::Bytes{}, codec::Zstd{});
  CHECK(test::value(store, "a/c") != "(missing)");
  auto const array = open_array<std::uint16_t, 0, AllCodecs>(store, "a");
  CHECK(array.size() == 1);
  CHECK(array.read(all)() == 1);
  std::uint16_t element = 0;
  array.read(Box(std::vector<Slice>{}), std::span{&element, 1});
  CHECK(element == 1);
}

TEST_CASE("an array of one dimension") {
  Memory const store;
  test::write_array(store, "a", counting({10}, {4}), codec::Bytes{std::endian::big});
  auto const array = open_array<std::uint16_t, 1>(store, "a");
  std::vector<std::uint16_t> elements(3);
  array.read({{3, 10, 3}}, elements);
  CHECK(elements == std::vector<std::uint16_t>{4, 7, 10});
  ArrayView<std::uint16_t, 1> const backwards{elements.data() + 2, {3}, {-1}};
  array.read({{3, 10, 3}}, backwards);
  CHECK(elements == std::vector<std::uint16_t>{10, 7, 4});
}

TEST_CASE("a dimension without length has no chunks: nothing is read (G-15)") {
  for (Extents const& chunks : {Extents{2, 3}, Extents{1, 1}}) {
    Memory const store;
    test::write_array(store, "a", counting({0, 3}, chunks), codec::Bytes{});
    CHECK(test::listed(store, "a").size() == 1);
    auto const array = open_array<std::uint16_t, 2>(store, "a");
    Traffic traffic;
    auto const read = array.read(all, {.traffic = &traffic});
    CHECK(read.shape() == Extents{0, 3});
    CHECK(read.elements().empty());
    CHECK(traffic.chunks == 0);
  }
}

TEST_CASE("a dimension without length stands beside any other") {
  Memory const store;
  auto document = test::array_document().set("shape", "[0, 4611686018427387904, 4611686018427387904]");
  document.set("chunk_grid", test::grid("[1, 1, 1]")).set("data_type", "\"int64\"");
  document.set("codecs", R"([{"name": "bytes", "configuration": {"endian": "little"}}])");
  test::put(store, "zarr.json", document.text());
  auto const array = open_array<std::int64_t, 3>(store);
  CHECK(array.read(all).size() == 0);
  CHECK(array.read({all, {5, 6}, {7, 8}}).shape() == Extents{0, 1, 1});
}

TEST_CASE("a chunk larger than the array") {
  Memory const store;
  test::write_array(store, "a", counting({2, 3}, {7, 5}), codec::Transpose{{1, 0}}, codec::Bytes{}, codec::Zstd{});
  auto const read = open_array<std::uint16_t, 2, AllCodecs>(store, "a").read(all);
  CHECK(std::vector(read.elements().begin(), read.elements().end()) == std::vector<std::uint16_t>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("chunks of one element") {
  Memory const store;
  auto const content = counting({3, 4}, {1, 1});
  test::write_array(store, "a", content, codec::Bytes{std::endian::big});
  auto const array = open_array<std::uint16_t, 2>(store, "a", test::HostQueue{2});
  Traffic traffic;
  auto const read = array.read(all, {.mini_batch = 5, .traffic = &traffic});
  CHECK(test::memory_of(std::vector(read.elements().begin(), read.elements().end())) == content.elements);
  CHECK(traffic.chunks == 12);
}

TEST_CASE("keys as Zarr v2 wrote them") {
  for (auto* separator : {".", "/"}) {
    Memory const store;
    auto content = counting({4, 4}, {2, 2});
    content.key_encoding = R"({"name": "v2", "configuration": {"separator": ")" + std::string{separator} + "\"}}";
    test::write_array(store, "", content, codec::Bytes{});
    CHECK(test::value(store, "1" + std::string{separator} + "0") != "(missing)");
    auto const read = open_array<std::uint16_t, 2>(store).read(all);
    CHECK(test::memory_of(std::vector(read.elements().begin(), read.elements().end())) == content.elements);
  }
}

TEST_CASE("a step may be longer than any array") {
  Memory const store;
  test::write_array(store, "a", counting({6, 6}, {4, 4}), codec::Bytes{});
  auto const array = open_array<std::uint16_t, 2>(store, "a");
  for (std::uint64_t step :
       {~std::uint64_t{0}, std::uint64_t{1} << 63, std::uint64_t{1} << 62, std::uint64_t{1} << 61}) {
    CAPTURE(step);
    auto const read = array.read({{2, 6, step}, {1, 6, step}});
    CHECK(read.shape() == Extents{1, 1});
    CHECK(read(0, 0) == 14);
  }
}

TEST_CASE("a bool is 0 or 1, whatever the chunk says (CODEC-BYTES-07)") {
  MemoryStore<HostBuffer> const store;
  test::put(store, "zarr.json",
            R"({"zarr_format": 3, "node_type": "array", "shape": [3], "data_type": "bool", "fill_value": false,
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3]}},
                "chunk_key_encoding": "default", "codecs": ["bytes"]})");
  test::put(store, "c/0", std::string_view{"\1\0\1", 3});
  auto const array = open_array<bool, 1>(store);
  auto const read = array.read(all);
  CHECK(read(0));
  CHECK_FALSE(read(1));
  test::put(store, "c/0", std::string_view{"\1\0\2", 3});
  test::check_refused<CodecError>([&] { array.read(all); }, {"key \"c/0\"", "found an element 2", "0 or 1"});
}
