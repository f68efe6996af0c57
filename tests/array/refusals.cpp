// Requests that do not match the array.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <support/brain.hpp>
#include <support/large_allocations.hpp>
#include <support/refused.hpp>
#include <support/written_array.hpp>
#include <tessera/array/convert.hpp>
#include <tessera/array/visit.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;
using test::check_refused;

TEST_CASE("another element type or rank is refused, with both, and the document's key") {
  check_refused<MetadataError>([] { open_array<float, 3, AllCodecs>(test::brain_store(), "t1"); },
                               {"key \"t1/zarr.json\"", "member data_type", "found uint8", "expected float32"});
  check_refused<MetadataError>([] { open_array<std::int8_t, 3, AllCodecs>(test::brain_store(), "t1"); },
                               {"found uint8", "expected int8"});
  check_refused<MetadataError>([] { open_array<bool, 3, AllCodecs>(test::brain_store(), "t1"); }, {"expected bool"});
  check_refused<MetadataError>([] { open_array<std::uint8_t, 2, AllCodecs>(test::brain_store(), "t1"); },
                               {"key \"t1/zarr.json\"", "member shape", "found 3 dimensions", "expected 2"});
}

TEST_CASE("an array that is not there is an error that says so") {
  for (auto* path : {"t2", "t1/c", "t1/c/0"}) {
    auto const key = "key \"" + std::string{path} + "/zarr.json\"";
    check_refused<NodeNotFound>([&] { open_array<std::uint8_t, 3, AllCodecs>(test::brain_store(), path); },
                                 {"brain.zarr: ", key.c_str(), "there is no array"});
    check_refused<NodeNotFound>([&] { open_any<AllCodecs>(test::brain_store(), path); }, {"there is no array"});
  }
  CHECK_THROWS_AS((open_any<AllCodecs>(test::brain_store(), "../brain.zarr/t1")), StoreError);
}

TEST_CASE("a group is no array") {
  check_refused<MetadataError>([] { open_array<std::uint8_t, 3, AllCodecs>(test::brain_store()); },
                               {"key \"zarr.json\"", "found \"group\"", "expected \"array\""});
}

TEST_CASE("a box that does not fit is refused, and nothing is written") {
  auto const t1 = test::open_t1();
  std::vector<std::uint8_t> elements(8, 77);
  check_refused<SelectionError>([&] { t1.read({all, all}, elements); }, {"2 slices", "3 dimensions"});
  check_refused<SelectionError>(
      [&] {
        t1.read({{0, 2}, {0, 2}, {188, 190}}, elements);
      },
      {"dimension 2", "188:190:1", "189"});
  check_refused<SelectionError>([&] { t1.read({{2, 0}, all, all}, elements); }, {"dimension 0", "2:0:1"});
  CHECK(elements == std::vector<std::uint8_t>(8, 77));
}

TEST_CASE("a region that no box has made is held to the array too") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<int, 2>(store, "a", {.shape = {5, 4}, .chunks = {2, 3}}).untyped();
  std::vector<int> memory(20, 7);
  auto* const data = reinterpret_cast<std::byte*>(memory.data());
  Strides const strides{16, 4};
  auto const most = ~std::uint64_t{0};
  for (Region const& region :
       {Region{{0, 0}, {6, 4}, {1, 1}}, Region{{4, 0}, {1, 2}, {1, 4}}, Region{{5, 0}, {1, 1}, {1, 1}},
        Region{{0, 0}, {1, 1}, {1, 0}}, Region{{0, 0}, {3, 1}, {most, 1}}, Region{{most, 0}, {2, 1}, {1, 1}},
        Region{{0}, {5}, {1}}, Region{{0, 0}, {5, 4}, {1}}}) {
    CHECK_THROWS_AS(array.read(region, {data, strides}), SelectionError);
    CHECK_THROWS_AS(array.write(region, {data, strides}), SelectionError);
  }
  CHECK_THROWS_AS(array.read(Region{{0, 0}, {5, 4}, {1, 1}}, {data, {4}}), SelectionError);
  CHECK(memory == std::vector<int>(20, 7));
  CHECK_NOTHROW(array.write(Region{{4, 3}, {1, 1}, {most, most}}, {data, strides}));
  CHECK_NOTHROW(array.read(Region{{1, 0}, {2, 2}, {3, 3}}, {data, strides}));
}

TEST_CASE("a destination of another size or shape is refused, and nothing is written") {
  auto const t1 = test::open_t1();
  Box const box{{0, 2}, {0, 2}, {0, 2}};
  std::vector<std::uint8_t> seven(7, 77), nine(9, 77), eight(8, 77);
  check_refused<SelectionError>([&] { t1.read(box, seven); }, {"7 elements", "expected 8"});
  check_refused<SelectionError>([&] { t1.read(box, nine); }, {"9 elements", "expected 8"});
  ArrayView<std::uint8_t, 3> const flat{eight.data(), {8, 1, 1}, {1, 1, 1}};
  check_refused<SelectionError>([&] { t1.read(box, flat); }, {"[8, 1, 1]", "[2, 2, 2]"});
  CHECK(seven == std::vector<std::uint8_t>(7, 77));
  CHECK(nine == std::vector<std::uint8_t>(9, 77));
  CHECK(eight == std::vector<std::uint8_t>(8, 77));
}

TEST_CASE("an array larger than memory opens; reading all of it is an error, reading some of it is not") {
  MemoryStore<HostBuffer> const store;
  auto document = test::array_document().set("shape", "[1152921504606846976]").set("chunk_grid", test::grid("[1024]"));
  test::put(store, "zarr.json", document.set("fill_value", "5").text());
  auto const array = open_array<std::uint8_t, 1>(store);
  check_refused<HostOutOfMemory>([&] { array.read(all); }, {"cannot allocate"});
  CHECK(array.read({{1152921504606846970, 1152921504606846976}})(5) == 5);
}

TEST_CASE("a chunk larger than memory is an error when it is read") {
  MemoryStore<HostBuffer> const store;
  auto document = test::array_document().set("chunk_grid", test::grid("[1152921504606846976]"));
  test::put(store, "zarr.json",
            document.set("codecs", R"(["bytes", {"name": "zstd", "configuration": {"level": 1}}])").text());
  test::put(store, "c/0", "not a zstd frame");
  auto const array = open_array<std::uint8_t, 1, AllCodecs>(store);
  check_refused<HostOutOfMemory>([&] { array.read(all); }, {"key \"c/0\"", "cannot allocate"});
}

TEST_CASE("what does not fit an array is said with its store and its key") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<int, 2>(store, "scan/a", {.shape = {5, 4}, .chunks = {2, 3}});
  auto const refuse = [&](auto&& f, char const* what) {
    check_refused<SelectionError>(f, {store.name().c_str(), "key \"scan/a/zarr.json\": ", what});
  };
  std::vector<int> memory(10);
  refuse([&] { array.read(all, memory); }, "the memory holds 10 elements, expected 20");
  refuse([&] { array.write(all, memory); }, "the memory holds 10 elements, expected 20");
  refuse([&] { array.read({{0, 9}, all}, memory); }, "dimension 0: ");
  refuse([&] { array.read({{0, 9}, all}); }, "dimension 0: ");
  refuse([&] { array.read({all, all, all}); }, "3 slices");
  refuse([&] { array.write({{0, 9}, all}, memory); }, "dimension 0: ");
  refuse([&] { array.fill({{0, 9}, all}, 3); }, "dimension 0: ");
  refuse([&] { array.read(Points{std::vector<Extents>{{7, 1}}}); }, "index 7");
  refuse([&] { array.read(all, ArrayView<int, 2>::c_order(memory.data(), {5, 2})); }, "shape is [5, 2]");
  ArrayView<int, 2> const without_strides{memory.data(), {2, 4}};
  refuse([&] { array.read({{0, 2}, all}, without_strides); }, "the memory's stride along dimension 0 is 0");
  array.read({{0, 1}, 3}, without_strides.sub({{0, 1}, {0, 1}}));  // one element
  array.write({{0, 2}, all}, without_strides);  // the same element, twice four times
  refuse([&] { array.append(std::vector<int>(5)); }, "the memory holds 5 elements, expected a multiple of 4");
  refuse([&] { array.append(memory, 2); }, "found append dimension 2");
  refuse([&] { array.append(ArrayView<int, 2>::c_order(memory.data(), {2, 5})); }, "dimension 1: found a block of 5");
  refuse([&] { array.resize({5, 4, 3}); }, "a shape of 3 dimensions");
  refuse([&] { array.read_chunk({3, 0}); }, "dimension 0: found chunk 3");
  check_refused<BudgetError>([&] { array.read(all, {.memory = 1}); },
                             {store.name().c_str(), "key \"scan/a/zarr.json\": ", "expected at most the budget of 1"});
  refuse([&] { array.compact(Box{{{0, 9}, all}}); }, "dimension 0: ");
  visit(array.untyped(), [&](auto const& typed) {
    refuse([&] { typed.read({{0, 9}, all}); }, "dimension 0: ");
    std::vector<typename std::remove_cvref_t<decltype(typed)>::element_type> few(10);
    if constexpr (!std::same_as<typename std::remove_cvref_t<decltype(typed)>::element_type, bool>)
      refuse([&] { typed.read(all, few); }, "the memory holds 10 elements, expected 20");
  });
}

TEST_CASE("what does not fit an array that is read or written as other numbers is said likewise") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<int, 2>(store, "scan/a", {.shape = {5, 4}, .chunks = {2, 3}});
  auto const any = open_any(store, "scan/a");
  auto const refuse = [&](auto&& f, char const* what) {
    check_refused<SelectionError>(f, {store.name().c_str(), "key \"scan/a/zarr.json\": ", what});
  };
  std::vector<double> memory(10);
  Box const outside{{0, 9}, all};
  refuse([&] { read_as(array, all, memory); }, "the memory holds 10 elements, expected 20");
  refuse([&] { write_as(array, all, memory); }, "the memory holds 10 elements, expected 20");
  refuse([&] { read_as(array, outside, memory); }, "dimension 0: ");
  refuse([&] { write_as(array, outside, memory); }, "dimension 0: ");
  refuse([&] { read_as<double>(array, outside); }, "dimension 0: ");
  refuse([&] { read_as<double>(any, outside); }, "dimension 0: ");
  refuse([&] { visit<RealTypes>(any, [&](auto const& typed) { read_as<double>(typed, outside); }); }, "dimension 0: ");
  refuse([&] { read_as<double>(array, {all, all, all}); }, "3 slices");
  refuse([&] { read_as<double>(array, Points{std::vector<Extents>{{7, 1}}}); }, "index 7");
  auto const flat = ArrayView<double, 2>::c_order(memory.data(), {5, 2});
  refuse([&] { read_as(array, all, flat); }, "shape is [5, 2]");
  refuse([&] { write_as(array, all, flat); }, "shape is [5, 2]");
  auto const refuse_budget = [&](auto&& f) {
    check_refused<BudgetError>(f, {store.name().c_str(), "key \"scan/a/zarr.json\": ", "at most the budget of 1"});
  };
  refuse_budget([&] { read_as<double>(array, all, {}, {.memory = 1}); });
  refuse_budget([&] { write_as(array, all, std::vector<double>(20), {}, {.memory = 1}); });
}

TEST_CASE("a listed chunk that the array does not have is refused, and nothing is written") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<int, 1>(store, "a", {.shape = {10}, .chunks = {4}}).untyped();
  std::vector<int> memory(4, 7);
  auto* const bytes = reinterpret_cast<std::byte*>(memory.data());
  auto const refuse = [&](Extents const& chunk, char const* what) {
    PlacedChunk const listed[] = {{chunk, 0}};
    auto const* const key = "key \"a/zarr.json\"";
    check_refused<SelectionError>([&] { array.write_listed(listed, {bytes, Strides{4}}); }, {key, what});
    check_refused<SelectionError>([&] { array.read_listed(listed, {bytes, Strides{4}}); }, {key, what});
  };
  refuse({3}, "found chunk 3");
  refuse({std::uint64_t{1} << 62}, "found chunk 4611686018427387904");  // its first element is 0 modulo 2^64
  refuse({}, "0 dimensions, expected 1");
  refuse({0, 0}, "2 dimensions, expected 1");
}
