// Documents in one store, chunks in another.
#include <doctest/doctest.h>

#include <support/brain.hpp>
#include <support/refused.hpp>
#include <tessera/store/cast_store.hpp>
#include <tessera/store/split_store.hpp>

using namespace tessera;

TEST_CASE("documents from a folder, chunks from memory: neither is asked for what the other has") {
  MemoryStore<HostBuffer> const chunks = test::brain_copy("t1/c");
  MemoryStore<HostBuffer> const documents;
  test::put(documents, "t1/zarr.json", test::value(test::brain_store(), "t1/zarr.json"));
  CHECK(test::value(chunks, "t1/zarr.json") == "(missing)");
  SplitStore const store{documents, chunks};
  auto const array = open_array<std::uint8_t, 3, AllCodecs>(store, "t1", test::HostQueue{2});
  auto const elements = array.read(all);
  CHECK(std::ranges::equal(elements.elements(), test::t1_elements()));
}

TEST_CASE("the folder's documents over chunks in memory, and the other way round") {
  SplitStore const store{test::brain_store(), test::brain_copy("t1/c")};
  auto const elements = open_array<std::uint8_t, 3, AllCodecs>(store, "t1").read(all);
  CHECK(std::ranges::equal(elements.elements(), test::t1_elements()));
  SplitStore const nothing{test::brain_store(), MemoryStore<HostBuffer>{}};
  auto const empty = open_array<std::uint8_t, 3, AllCodecs>(nothing, "t1").read({{0, 9}, {0, 9}, {0, 9}});
  CHECK(std::ranges::count(empty.elements(), 0) == 729);
  SplitStore const lost{MemoryStore<HostBuffer>{}, test::brain_store()};
  test::check_refused<MetadataError>([&] { open_array<std::uint8_t, 3, AllCodecs>(lost, "t1"); },
                                     {"memory store: ", "there is no array"});
}

TEST_CASE("errors name the half that they come from") {
  MemoryStore<HostBuffer> const chunks;
  test::put(chunks, "t1/c/0/0/0", "garbage");
  SplitStore const store{test::brain_store(), chunks};
  test::check_refused<CodecError>([&] { open_array<std::uint8_t, 3, AllCodecs>(store, "t1").read(all); },
                                  {"memory store: ", "key \"t1/c/0/0/0\""});
  test::check_refused<MetadataError>([&] { open_array<float, 3, AllCodecs>(store, "t1"); },
                                     {"brain.zarr: ", "key \"t1/zarr.json\""});
}

TEST_CASE("of nested splits, documents come from the first half of the outermost one's first half") {
  MemoryStore<HostBuffer> const a, b, c;
  auto document = [](int length) {
    return R"({"zarr_format": 3, "node_type": "array", "shape": [)" + std::to_string(length) +
           R"(], "data_type": "uint8", "fill_value": 0, "codecs": ["bytes"], "chunk_key_encoding": "default",
              "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1]}}})";
  };
  test::put(a, "zarr.json", document(2));
  test::put(b, "zarr.json", document(3));
  CHECK(open_array<std::uint8_t, 1>(SplitStore{SplitStore{a, b}, c}).size() == 2);
  CHECK(open_array<std::uint8_t, 1>(CastStore<HostBuffer, SplitStore<MemoryStore<HostBuffer>, MemoryStore<HostBuffer>>>{{a, b}}).size() == 2);
}
