// Sharded arrays, compared with a model that is changed one element at a time.
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/brain.hpp>
#include <support/refused.hpp>
#include <support/sharded.hpp>
#include <support/temporary_folder.hpp>
#include <support/written_array.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;
using test::Bytes;
using Memory = MemoryStore<HostBuffer>;

namespace {

/// Writes and reads boxes of an array in shards of random shapes.
template <class S>
void check_shards(S const& store, std::uint64_t seed) {
  CAPTURE(seed);
  test::Random random{seed};
  auto const rank = random(0, 3);
  test::ArrayContent content{test::random_type(random), random.extents(rank, 1, 14), random.extents(rank, 1, 8), {}};
  content.elements = Bytes(test::size_of(content.shape) * content.type.size);
  auto const leaf = random.one_in(2) ? test::json_list(codec::Bytes{std::endian::big})
                                     : test::json_list(codec::Bytes{}, codec::Zstd{1, false});
  auto const codecs = test::random_sharding(random, content.chunk_shape, leaf, static_cast<int>(random(1, 3)));
  CAPTURE(codecs);
  auto const array = create_any<AllCodecs>(store, "a", test::array_metadata(content.document(codecs).text()), {true},
                                           test::HostQueue{random(1, 3)});
  for (int round = 0; round < 8; ++round) {
    auto const region = (round == 3 ? Box(all) : Box{test::random_slices(random, content.shape)}).resolve(content.shape);
    auto values = random.noise(test::size_of(region.count) * content.type.size);
    if (random.one_in(3) || content.type.kind == DataKind::boolean) std::fill(values.begin(), values.end(), std::byte{0});
    WriteOptions options;
    options.mini_batch = random(0, 5);
    options.store_fill_chunks = random.one_in(2);
    array.write(region, {values.data(), Layout::c_order(region.count, content.type.size).strides}, options);
    test::put_elements(content, region, values);
    CHECK(test::read_bytes(array, Box{all}.resolve(content.shape)) == content.elements);
    auto const part = Box{test::random_slices(random, content.shape)}.resolve(content.shape);
    ReadOptions reading;
    reading.mini_batch = random(0, 5);
    CHECK(test::read_bytes(array, part, reading) ==
          test::picked(content.elements, content.shape, content.type.size, part));
  }
}

}  // namespace

TEST_CASE("sharded arrays hold what was written, box by box, at any depth of shards (CODEC-SHARD-06, 08..12, 21)") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    check_shards(Memory{}, seed);
    test::TemporaryFolder const folder;
    check_shards(LocalStore<HostBuffer>{folder / "root"}, seed + 1000);
  }
}

static auto elements(OwnedArray<std::uint8_t, 3, HostBuffer> const& array) {
  auto const size = test::size_of(array.shape());
  return std::vector<std::uint8_t>(array.data(), array.data() + size);
}

TEST_CASE("t1_sharded is t1") {
  auto const t1 = open_array<std::uint8_t, 3, AllCodecs>(test::brain_store(), "t1");
  auto const sharded = open_array<std::uint8_t, 3, AllCodecs>(test::brain_store(), "t1_sharded");
  CHECK(elements(sharded.read(all)) == elements(t1.read(all)));
  using Static = Pipeline<space::Host, codec::Sharding<Pipeline<space::Host, codec::Bytes, codec::Zstd>>>;
  Box const part{{3, 190, 5}, {100, 140}, {60, 70}};
  CHECK(elements(open_array<std::uint8_t, 3, Static>(test::brain_store(), "t1_sharded").read(part)) == elements(t1.read(part)));
}
