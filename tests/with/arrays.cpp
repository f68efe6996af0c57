// Arrays without naming a codec. <fcntl.h> has an open() of its own.
#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/all.hpp>
#include <tessera/node/consolidate.hpp>

using namespace tessera;
using Local = LocalStore<HostBuffer>;
using Memory = MemoryStore<HostBuffer>;

// The meaning of these names without tessera/all.hpp.
using BuiltIn = AnyPipeline<space::Host, space::Host, Codecs<codec::Transpose, codec::Bytes, codec::Crc32c>>;
static_assert(std::same_as<decltype(open_array<float, 3>(Memory{})), Array<float, 3, Memory, BuiltIn>>);
static_assert(std::same_as<decltype(open_any(Memory{})), AnyArray<Memory, BuiltIn>>);
static_assert(std::same_as<decltype(create_array<float, 3>(Memory{}, "a", {})),
                           Array<float, 3, Memory, Pipeline<space::Host, codec::Bytes>>>);

TEST_CASE("open reads whatever codecs a file names") {
  Local const store{TESSERA_TEST_DATA "/brain.zarr"};
  CHECK(open<std::uint8_t, 3>(store, "t1").read({{98, 99}, {116, 117}, {94, 95}})(0, 0, 0) == 198);  // zstd
  CHECK(open<float, 3>(store, "t1_half").read({{49, 50}, {58, 59}, {47, 48}})(0, 0, 0) == 200.25F);  // blosc
  CHECK(open(store, "t1_half", Queue<space::Host>{2}).type().name() == "float32");
  int const file = open(TESSERA_TEST_DATA "/brain.zarr/zarr.json", O_RDONLY);  // the system's, as usual
  CHECK(file >= 0);
  CHECK(close(file) == 0);
}

TEST_CASE("create writes the codecs that zarr-python 3 does") {
  Memory const store;
  auto const array = create<float, 1>(store, "a", {.shape = {4}, .chunks = {2}});
  array.write(all, std::vector{1.F, 2.F, 3.F, 4.F});
  (void)create<std::uint8_t, 1>(store, "b", {.shape = {4}, .chunks = {2}});
  auto const codecs = [&](std::string const& path) {
    auto document = test::value(store, path + "/zarr.json");
    std::erase_if(document, [](char c) { return c == ' ' || c == '\n'; });
    auto const begin = document.find("\"codecs\":");
    return document.substr(begin, document.find("}}]", begin) + 3 - begin);
  };
  // As zarr.create_array(store, shape=(4,), chunks=(2,), dtype="float32") and dtype="uint8" write it, version 3.1.
  CHECK(codecs("a") == R"("codecs":[{"name":"bytes","configuration":{"endian":"little"}},)"
                       R"({"name":"zstd","configuration":{"level":0,"checksum":false}}])");
  CHECK(codecs("b") == R"("codecs":[{"name":"bytes"},{"name":"zstd","configuration":{"level":0,"checksum":false}}])");
  CHECK(open<float, 1>(store, "a").read(all)(3) == 4);
}

TEST_CASE("create takes another pipeline") {
  Memory const store;
  Pipeline<space::Host, codec::Bytes, codec::Gzip> const gzip{{}, {.level = 1}};
  auto const array = create<float, 1>(store, "a", {.shape = {4}, .chunks = {2}}, gzip, Queue<space::Host>{2});
  CHECK(array.metadata().codecs.back().name == "gzip");
  CHECK(open<float, 1>(store, "a").read(all)(0) == 0);
}

TEST_CASE("open and create take a group and a path from there") {
  Memory const store;
  auto const group = create_group(store, "g");
  create<float, 1>(group, "a", {.shape = {4}, .chunks = {2}, .fill = 3}).fill({{0, 2}}, 1);
  CHECK(open<float, 1>(store, "g/a").read(all)(1) == 1);
  CHECK(open<float, 1>(group, "a", Queue<space::Host>{}).read(all)(2) == 3);
  CHECK(open(group, "a").metadata().codecs.back().name == "zstd");
  CHECK_THROWS_AS(open(group, "b"), MetadataError);
}

TEST_CASE("open takes documents from the consolidated metadata of the group that it is given") {
  Memory const store;
  create<float, 1>(create_group(store, "g"), "a", {.shape = {4}, .chunks = {2}});
  consolidate(store, "g");
  auto const group = open_group(store, "g");
  Queue<space::Host> on;
  store.erase({"g/a/zarr.json"}, on);  // a request to the store finds no array
  CHECK(open<float, 1>(group, "a").shape() == Extents{4});
  CHECK(open(group, "a").type().name() == "float32");
}

TEST_CASE("a shard takes its codecs' configurations in braces") {
  Memory const store;
  using Inner = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  using Sharded = Pipeline<space::Host, codec::Sharding<Inner>>;
  create_array<float, 1>(store, "a", {.shape = {4}, .chunks = {4}},
                         Sharded{codec::Sharding<Inner>{{2}, {{}, {.level = 7}}}});
  CHECK(test::value(store, "a/zarr.json").find("\"level\": 7") != std::string::npos);
}

TEST_CASE("a folder's name is a store, and the arrays of a group open whatever their codecs are") {
  test::TemporaryFolder const folder;
  auto const array = create<float, 1>(folder / "a.zarr", "x", {.shape = {4}, .chunks = {2}});
  static_assert(std::same_as<decltype(array)::store_type, Local>);
  array.fill(all, 3);
  CHECK(open<float, 1>(folder / "a.zarr", "x").read(all)(3) == 3);
  CHECK(open(folder.path() / "a.zarr" / "x").type() == data_type_of<float>());  // its own root
  std::string names;
  for (auto const& [name, below] : arrays(open_group(folder / "a.zarr")))
    names += name + to_string(below.shape()) + std::to_string(below.as<float, 1>().read(all)(0));
  CHECK(names == "x[4]3.000000");
  CHECK_THROWS_AS((void)open_group(folder / "a.zarr").arrays(), MetadataError);  // zstd is not among the built-in ones
}
