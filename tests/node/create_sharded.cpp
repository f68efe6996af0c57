// Arrays whose chunks are in shards because NewArray says so, with pipelines that have no codec::Sharding.
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/array/strings.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open_or_create.hpp>
#include <tessera/pipeline/sharding.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;
using test::check_refused;

namespace create_sharded_tests {
namespace {

using Memory = MemoryStore<HostBuffer>;
using Stored = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
using Shard = codec::Sharding<Stored>;
using Sharded = Pipeline<space::Host, Shard>;

NewArray<std::uint16_t> const wanted{.shape = {20, 30}, .shards = {10, 30}, .chunks = {5, 6}, .fill = 3};

std::vector<std::uint16_t> numbers() {
  std::vector<std::uint16_t> all_of_them(600);
  std::iota(all_of_them.begin(), all_of_them.end(), std::uint16_t{1});
  return all_of_them;
}

std::string document(Memory const& store, std::string const& path) {
  return test::value(store, document_key(path).path);
}
std::size_t count_of_chunks(Memory const& store, std::string_view path) {
  std::size_t count = 0;
  store.list(path, [&](Listed const& entry) { count += entry.path.find("/c/") != entry.path.npos; });
  return count;
}

TEST_CASE(".shards and .chunks are what codec::Sharding writes, document and values") {
  Memory const store;
  auto const array = create_array<std::uint16_t, 2>(store, "a", wanted, Stored{{}, codec::Zstd{3}});
  auto const as_codec = create_array<std::uint16_t, 2>(store, "b", {.shape = {20, 30}, .shards = {10, 30}, .fill = 3},
                                                       Sharded{Shard{{5, 6}, Stored{{}, codec::Zstd{3}}}});
  CHECK(document(store, "a") == document(store, "b"));
  array.write(all, numbers());
  as_codec.write(all, numbers());
  CHECK(count_of_chunks(store, "a") == 2);
  for (std::string const key : {"/c/0/0", "/c/1/0"}) {
    CHECK(test::value(store, "a" + key) != "(missing)");
    CHECK(test::value(store, "a" + key) == test::value(store, "b" + key));
  }
  CHECK(array.chunk_shape() == Extents{10, 30});
  CHECK(array.untyped().inner_chunk_shape() == Extents{5, 6});
}

TEST_CASE("a pipeline opens its chunks, in shards or not") {
  Memory const store;
  auto const made = create_array<std::uint16_t, 2>(store, "shards", wanted, Stored{});
  auto const plain = create_array<std::uint16_t, 2>(store, "plain", {.shape = {20, 30}, .chunks = {5, 6}}, Stored{});
  static_assert(std::is_same_v<decltype(made), decltype(plain)>);
  made.write(all, numbers());
  plain.write(all, numbers());
  for (std::string const path : {"shards", "plain"}) {
    auto const array = open_array<std::uint16_t, 2, Stored>(store, path);
    std::vector<std::uint16_t> found(600);
    array.read(all, found);
    CHECK(found == numbers());
    CHECK(array.read({{4, 7}, {29, 30}})(2, 0) == 6 * 30 + 30);
    CHECK(open_array<std::uint16_t, 2, Codecs<codec::Bytes, codec::Zstd>>(store, path).read(all)(19, 29) == 600);
  }
  using Other = Pipeline<space::Host, codec::Bytes, codec::Crc32c>;
  check_refused<MetadataError>([&] { open_array<std::uint16_t, 2, Other>(store, "shards"); },
                               {"\"shards/zarr.json\"", "bytes | zstd", "bytes | crc32c"});
  // Through other codecs, as any array.
  CHECK(open_array<std::uint16_t, 2, Codecs<codec::Bytes, codec::Zstd>>(store, "shards")
            .through<Stored>()
            .read(all)(19, 29) == 600);
}

TEST_CASE("arrays in shards grow, shrink and are compacted") {
  Memory const store;
  auto const array = create_array<std::uint16_t, 2>(store, "a", wanted, Stored{});
  array.write(all, numbers());
  array.append(std::vector<std::uint16_t>(60, 7));
  CHECK(array.shape() == Extents{22, 30});
  CHECK(array.read(all)(21, 29) == 7);
  array.write({{0, 1}, all}, std::vector<std::uint16_t>(30, 9), {.append_to_shards = true});
  CHECK(array.compact() > 0);
  CHECK(array.read(all)(0, 29) == 9);
  array.resize({4, 30});
  CHECK(array.read(all)(3, 29) == 120);
  CHECK(count_of_chunks(store, "a") == 1);
}

TEST_CASE("strings are in shards too; groups and open_or_create_array take the same members") {
  Memory const store;
  auto const texts = create_array<std::string, 1>(store, "texts", {.shape = {6}, .shards = {4}, .chunks = {2}});
  texts.write(all, std::vector<std::string>{"a", "", "ccc", "d", "ee", "f"});
  CHECK(open_array<std::string, 1>(store, "texts").read(all)(4) == "ee");
  CHECK(count_of_chunks(store, "texts") == 2);

  auto const group = create_group(store, "g");
  create_array<int, 1>(group, "a", {.shape = {8}, .shards = {4}, .chunks = {2}}).fill(all, 5);
  CHECK(count_of_chunks(store, "g/a") == 2);
  auto const opened = open_or_create_array<int, 1>(group, "b", {.shape = {8}, .shards = {4}, .chunks = {2}});
  CHECK(opened.untyped().inner_chunk_shape() == Extents{2});
  CHECK(open_or_create_array<int, 1>(group, "a", {.shape = {1}, .chunks = {1}}).read(all)(7) == 5);
}

TEST_CASE("an index without a checksum, a derived pipeline and a pipeline made at run time") {
  using Plain = Pipeline<space::Host, codec::Bytes>;
  struct Derived : Plain {};
  using Unchecked = codec::Sharding<Plain, Plain>;
  Memory const store;
  create_array<int, 1>(store, "a", {.shape = {8}, .shards = {4}}, Pipeline<space::Host, Unchecked>{Unchecked{{2}}})
      .fill(all, 4);
  CHECK(open_array<int, 1, Plain>(store, "a").read(all)(7) == 4);

  create_array<int, 1>(store, "b", {.shape = {8}, .shards = {4}, .chunks = {2}}, Derived{}).fill(all, 5);
  CHECK(open_array<int, 1, Derived>(store, "b").read(all)(7) == 5);

  using AtRunTime = AnyPipeline<space::Host, space::Host, Codecs<codec::Bytes>>;
  auto const bytes = AtRunTime::from(Plain{}.specifications(ChunkSpecification{{2}, data_type_of<int>()}));
  create_array<int, 1>(store, "c", {.shape = {8}, .shards = {4}, .chunks = {2}}, bytes).fill(all, 6);
  CHECK(document(store, "c") == document(store, "b"));
  CHECK(open_array<int, 1, Plain>(store, "c").read(all)(7) == 6);
  check_refused<MetadataError>([&] { create_array<int, 1>(store, "d", {.shape = {8}, .shards = {4}}, bytes); },
                               {"expected .chunks too"});
}

TEST_CASE("open_or_create_array compares the codecs of the chunks, in shards or not") {
  using Plain = Pipeline<space::Host, codec::Bytes>;
  using Explicit = Pipeline<space::Host, codec::Sharding<Plain>>;
  Explicit const explicit_codec{codec::Sharding<Plain>{{2}}};
  Memory const store;
  for (int round = 0; round < 2; ++round) {  // made, then opened
    CHECK_NOTHROW(
        open_or_create_array<int, 1, Explicit>(store, "a", {.shape = {8}, .shards = {4}, .chunks = {2}}, Plain{}));
    CHECK_NOTHROW(open_or_create_array<int, 1, Plain>(store, "b", {.shape = {8}, .shards = {4}}, explicit_codec));
    CHECK_THROWS_AS((open_or_create_array<int, 1, Plain>(store, "c", {.shape = {8}, .shards = {4}, .chunks = {2}},
                                                         Pipeline<space::Host, codec::Bytes, codec::Crc32c>{})),
                    MetadataError);
    CHECK_FALSE(exists(store, "c"));
  }
}

TEST_CASE("members that contradict each other are refused before anything is written") {
  Memory const store;
  auto const refuse = [&](NewArray<int> const& one, auto const& pipeline, std::initializer_list<char const*> words) {
    check_refused<MetadataError>([&] { create_array<int, 1>(store, "a", one, pipeline); }, words);
  };
  using Plain = Pipeline<space::Host, codec::Bytes>;
  using Explicit = Pipeline<space::Host, codec::Sharding<Plain>>;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  refuse({.shape = {8}, .chunk_shape = {4}, .chunks = {2}}, Plain{}, {"a/zarr.json", "its old name"});
  refuse({.shape = {8}, .chunk_shape = {0}}, Plain{}, {"found .chunk_shape [0]"});
#pragma GCC diagnostic pop
  refuse({.shape = {8}, .shards = {4}}, Plain{}, {"a/zarr.json", "found .shards, expected .chunks too"});
  refuse({.shape = {8}, .shards = {4}, .chunks = {2}}, Explicit{codec::Sharding<Plain>{{2}}},
         {"a/zarr.json", "give .shards alone"});
  refuse({.shape = {8}, .shards = {4}, .chunks = {3}}, Plain{},
         {"a/zarr.json", "found .chunks [3], expected divisors of .shards [4] in each dimension"});
  refuse({.shape = {8}, .shards = {4}, .chunks = {0}}, Plain{}, {"found .chunks [0], expected numbers of at least 1"});
  refuse({.shape = {8}, .shards = {0}, .chunks = {2}}, Plain{}, {"found .shards [0], expected numbers of at least 1"});
  refuse({.shape = {8}, .shards = {4}, .chunks = {2, 2}}, Plain{}, {"found .chunks of 2 dimensions, expected 1"});
  refuse({.shape = {8}, .shards = {4, 4}, .chunks = {2}}, Plain{}, {"found .shards of 2 dimensions, expected 1"});
  refuse({.shape = {8}, .shards = {0}}, Explicit{codec::Sharding<Plain>{{2}}}, {"found .shards [0]"});
  refuse({.shape = {8}, .shards = {3}}, Explicit{codec::Sharding<Plain>{{2}}}, {"found [2], expected a divisor"});
  refuse({.shape = {8}, .shards = {4}, .chunks = {2}, .format = ZarrFormat::v2}, Plain{}, {"sharding_indexed"});
  CHECK_FALSE(exists(store, "a"));
}

}  // namespace
}  // namespace create_sharded_tests
