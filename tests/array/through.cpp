// One array through several pipelines: shared state, counted.
#include <atomic>
#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/remote_store.hpp>
#include <tessera/array/convert.hpp>
#include <tessera/array/visit.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/all.hpp>

namespace through_tests {

using namespace tessera;
using test::Remote;
using Texts = std::vector<std::string>;
using Plain = Pipeline<space::Host, codec::Bytes>;
using Sharded = Pipeline<space::Host, codec::Sharding<Plain>>;

namespace {

// Sixteen elements in shards of eight, whose chunks have two.
template <class S>
auto in_shards(S const& store) {
  auto const array =
      create_array<std::uint8_t, 1>(store, "a", {.shape = {16}, .chunks = {8}, .attributes = {{"unit", "mm"}}},
                                    Sharded{codec::Sharding<Plain>{{2}}});
  array.write(all, std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  return array;
}

// Counts requests for documents.
struct OfDocuments : Remote {
  std::shared_ptr<std::atomic<int>> documents = std::make_shared<std::atomic<int>>(0);
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> to, HostQueue& on) const {
    if (key.path.ends_with("zarr.json")) ++*documents;
    return Remote::read(key, range, to, on);
  }
};

}  // namespace

TEST_CASE("an array through another pipeline is the same array: its shape, its elements, its attributes") {
  MemoryStore<HostBuffer> const store;
  auto const array = in_shards(store);
  auto const listed = array.through<AllCodecs>();
  using Listed = std::remove_const_t<decltype(listed)>;
  static_assert(std::same_as<Listed::pipeline_type, AnyPipeline<space::Host, space::Host, AllCodecs>>);
  static_assert(std::same_as<decltype(listed.through<Sharded>()), std::remove_const_t<decltype(array)>>);
  CHECK(listed.read(all)(9) == 10);
  CHECK(&listed.attributes() == &array.attributes());

  listed.resize({20});
  CHECK(array.shape() == Extents{20});
  array.append(std::vector<std::uint8_t>{7, 7});
  CHECK(listed.shape() == Extents{22});
  CHECK(listed.read(all)(21) == 7);
  listed.fill({{0, 2}}, 50);
  CHECK(array.read({{0, 3}})(1) == 50);
  array.write({{0, 1}}, std::vector<std::uint8_t>{51});
  CHECK(listed.read({{0, 3}})(0) == 51);
  auto const there_and_back = listed.through<Sharded>();
  there_and_back.resize({2});
  CHECK(array.shape() == Extents{2});
}

TEST_CASE("through another pipeline the document is not read again, and may not name other codecs") {
  OfDocuments const store;
  auto const array = in_shards(store);
  *store.documents = 0;
  auto const listed = array.untyped().through<AllCodecs>();
  CHECK(listed.as<std::uint8_t, 1>().read(all)(1) == 2);
  CHECK(array.through<space::Host>().read(all)(1) == 2);
  CHECK(array.through<Plain>().read(all)(1) == 2);  // whose codecs are those of the inner chunks
  CHECK(*store.documents == 0);
  using Checked = Pipeline<space::Host, codec::Bytes, codec::Crc32c>;
  test::check_refused<MetadataError>([&] { (void)array.through<Checked>(); },
                                     {"remote", "a/zarr.json", "found bytes", "pipeline bytes | crc32c"});
  test::check_refused<MetadataError>([&] { (void)array.through<Codecs<codec::Transpose>>(); },
                                     {"a/zarr.json", "bytes"});
}

TEST_CASE("an index that is kept serves every pipeline, and each notices what the others write") {
  Remote const store;  // has no locks: the array has
  auto const array = in_shards(store);
  auto const listed = array.through<AllCodecs>();
  auto& asked = *store.asked;
  array.keep_shard_indexes(1 << 20);
  asked.take();
  CHECK(array.read({{0, 2}})(1) == 2);
  CHECK(asked.take() == Texts{"a/c/0 0 + 2", "a/c/0 last 68"});
  CHECK(listed.read({{4, 6}})(1) == 6);
  CHECK(asked.take() == Texts{"a/c/0 4 + 2"});
  listed.fill({{4, 6}}, 60);
  asked.take();
  CHECK(array.read({{4, 6}})(1) == 60);
  CHECK(asked.take().size() == 2);  // the index again, because the shard was replaced
  CHECK(listed.read({{4, 6}})(1) == 60);
  CHECK(asked.take().size() == 1);
  listed.keep_shard_indexes(0);
  array.read({{4, 6}}), array.read({{4, 6}});
  CHECK(asked.take().size() == 4);
}

TEST_CASE("indexes that one handle kept are there for the others when it is gone") {
  Remote const store;
  auto const array = in_shards(store);
  array.through<AllCodecs>().keep_shard_indexes(1 << 20);
  CHECK(array.read({{0, 2}})(1) == 2);
  store.asked->take();
  CHECK(array.read({{2, 4}})(1) == 4);
  CHECK(store.asked->take() == Texts{"a/c/0 2 + 2"});
}

TEST_CASE("options of a handle are those of what is made of it") {
  MemoryStore<HostBuffer> const store;
  std::atomic<bool> const stop{true};
  auto const array = in_shards(store);
  auto const stopped = array.with(ReadOptions{.stop = &stop});
  CHECK_THROWS_AS(stopped.through<AllCodecs>().read(all), Cancelled);
  CHECK_THROWS_AS(stopped.through<space::Host>().read(all), Cancelled);
  CHECK_NOTHROW((void)array.through<space::Host>().read(all));
  CHECK_THROWS_AS(
      visit(stopped.untyped(), [](auto const& typed) { (void)typed.template through<AllCodecs>().read(all); }),
      Cancelled);
}

}  // namespace through_tests
