// Arrays of every type, rank and chain of codecs, written the slow way.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/written_array.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;
using test::Bytes;

namespace {

template <class... Cs>
void check_array(std::uint64_t seed) {
  CAPTURE(seed);
  test::Random random{seed};
  auto const rank = random(0, 4);
  test::ArrayContent content{
      test::random_type(random), random.extents(rank, 1, 9), random.extents(rank, 1, 5), {}};
  content.elements = random.noise(test::size_of(content.shape) * content.type.size);
  if (content.type.kind == DataKind::boolean)
    for (auto& b : content.elements) b &= std::byte{1};
  std::string const encodings[] = {R"("default")", R"("v2")",
                                   R"({"name": "default", "configuration": {"separator": "."}})"};
  content.key_encoding = encodings[random(0, 2)];
  std::string const path = random.one_in(3) ? "" : "group/array";

  MemoryStore<HostBuffer> const store;
  test::write_array(store, path, content, test::random_codec<Cs>(random, rank)...);
  test::HostQueue const queue{random(1, 3)};
  auto const array = open_any<AllCodecs>(store, path, queue);
  auto const same = open_any<Pipeline<space::Host, Cs...>>(store, path, queue);
  for (int round = 0; round < 6; ++round) {
    Box const box = round == 0 ? Box(all) : Box{test::random_slices(random, content.shape)};
    auto const region = box.resolve(content.shape);
    auto const expected = test::picked(content.elements, content.shape, content.type.size, region);
    ReadOptions const options{.mini_batch = random(0, 5)};
    CHECK(test::read_bytes(array, region, options) == expected);
    CHECK(test::read_bytes(same, region, options) == expected);
  }
}

}  // namespace

using codec::Blosc, codec::Crc32c, codec::Gzip, codec::Transpose, codec::Zstd;
using ToBytes = codec::Bytes;

TEST_CASE("arrays read as what was written") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    check_array<ToBytes>(seed);
    check_array<Transpose, ToBytes>(seed + 100);
    check_array<ToBytes, Zstd>(seed + 200);
    check_array<Transpose, Transpose, ToBytes, Blosc>(seed + 300);
    check_array<Transpose, ToBytes, Gzip, Crc32c>(seed + 400);
  }
}
