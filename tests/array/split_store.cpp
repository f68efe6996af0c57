// Documents in one store, chunks in another.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory_resource>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/brain.hpp>
#include <support/refused.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/cast_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/store/wrapper_store.hpp>

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
  test::check_refused<NodeNotFound>([&] { open_array<std::uint8_t, 3, AllCodecs>(lost, "t1"); },
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
  CHECK(open_array<std::uint8_t, 1>(
            CastStore<HostBuffer, SplitStore<MemoryStore<HostBuffer>, MemoryStore<HostBuffer>>>{{a, b}})
            .size() == 2);
}

TEST_CASE(
    "an array that is made and written over a split store leaves documents in one folder and chunks in the other") {
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const documents{folder / "documents"}, chunks{folder / "chunks"};
  SplitStore const store{documents, chunks};
  std::vector<std::int16_t> elements(7 * 5);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::int16_t>(i + 1);
  auto const array = create_array<std::int16_t, 2>(store, "a/b", {.shape = {7, 5}, .chunks = {4, 3}});
  array.write(all, elements);
  std::vector<std::string> files;
  for (auto const& entry : std::filesystem::recursive_directory_iterator{folder.path()})
    if (entry.is_regular_file()) files.push_back(std::filesystem::relative(entry.path(), folder.path()).string());
  std::ranges::sort(files);
  CHECK(files == std::vector<std::string>{"chunks/a/b/c/0/0", "chunks/a/b/c/0/1", "chunks/a/b/c/1/0",
                                          "chunks/a/b/c/1/1", "documents/a/b/zarr.json", "documents/a/zarr.json",
                                          "documents/zarr.json"});
  auto const names = [](std::vector<std::string> listed) {
    for (auto& name : listed) name = name.substr(0, name.find(':'));
    return listed;
  };
  CHECK(names(test::listed(store, "")) == std::vector<std::string>{"a/b/c/0/0", "a/b/c/0/1", "a/b/c/1/0", "a/b/c/1/1",
                                                                   "a/b/zarr.json", "a/zarr.json", "zarr.json"});
  CHECK(names(test::listed_directory(store, "a/b")) == std::vector<std::string>{"a/b/c/", "a/b/zarr.json"});
  auto const check = [&](auto const& split, std::string const& path) {
    auto const found = open_array<std::int16_t, 2>(split, path).read(all);
    CHECK(std::ranges::equal(found.elements(), elements));
  };
  check(store, "a/b");
  // And through adapters around the whole.
  check(ReadOnlyStore{PrefixStore{store, "a"}}, "b");
  check(SplitStore{AnyStore<HostBuffer>{documents}, AnyStore<HostBuffer>{chunks}}, "a/b");
}

TEST_CASE("an array in values from a memory resource") {
  std::pmr::synchronized_pool_resource pool;
  test::HostQueue on{2, &pool};
  MemoryStore<PmrBuffer> const store;
  std::vector<std::int16_t> elements(100);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::int16_t>(i * 3);
  using P = Pipeline<space::Host, codec::Bytes>;
  auto const array = create_array<std::int16_t, 1>(store, "a", {.shape = {100}, .chunks = {7}}, P{}, on);
  array.write(all, elements);
  auto const found = open_array<std::int16_t, 1, P>(store, "a", on).read(all);
  CHECK(std::ranges::equal(found.elements(), elements));
}
