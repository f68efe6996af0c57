// Parts of chunks that codecs decode alone: against whole reads, over all codecs, and what is decoded for them.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <support/remote_store.hpp>
#include <support/written_array.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/all.hpp>

namespace decoded_parts_tests {

using namespace tessera;
using test::HostQueue;
using test::Random;

namespace {

std::string blosc(std::string const& cname, std::string const& shuffle, int typesize, int blocksize) {
  return R"({"name": "blosc", "configuration": {"cname": ")" + cname + R"(", "clevel": 5, "shuffle": ")" + shuffle +
         R"(", "typesize": )" + std::to_string(typesize) + R"(, "blocksize": )" + std::to_string(blocksize) + "}}";
}
std::string named(std::string const& name, std::string const& configuration = "") {
  return R"({"name": ")" + name + "\"" +
         (configuration.empty() ? "}" : ", \"configuration\": {" + configuration + "}}");
}
std::string const little = named("bytes", R"("endian": "little")"), big = named("bytes", R"("endian": "big")");
std::string const halves = named("numcodecs.astype", R"("encode_dtype": "<f2", "decode_dtype": "<f4")");
std::string const scaled = named("scale_offset", R"("offset": 1, "scale": 2)");
std::string const of_blocks = blosc("zstd", "shuffle", 4, 4096);

// Of chunks of 30 x 20 x 10 floats, each codec in one chain or more.
std::vector<std::string> const chains{
    little,
    big,
    little + "," + of_blocks,
    big + "," + blosc("lz4", "bitshuffle", 4, 1000),
    little + "," + blosc("zlib", "noshuffle", 1, 0),
    little + "," + blosc("blosclz", "shuffle", 7, 5000),
    little + "," + of_blocks + "," + named("crc32c"),
    little + "," + of_blocks + "," + blosc("lz4", "shuffle", 1, 512),
    little + "," + named("gzip", R"("level": 1)") + "," + of_blocks,
    little + "," + named("numcodecs.shuffle", R"("elementsize": 4)") + "," + of_blocks,
    named("transpose", R"("order": [2, 0, 1])") + "," + big + "," + of_blocks,
    halves + "," + little,
    halves + "," + big,
    halves + "," + little + "," + of_blocks,
    halves + "," + little + "," + named("zstd", R"("level": 1, "checksum": false)"),
    scaled + "," + halves + "," + little + "," + blosc("lz4", "shuffle", 2, 2048),
    named("transpose", R"("order": [1, 2, 0])") + "," + scaled + "," + little,
    named("numcodecs.delta", R"("dtype": "<f4")") + "," + little + "," + of_blocks,
    halves + "," + named("numcodecs.delta", R"("dtype": "<f2")") + "," + little,
    named("numcodecs.quantize", R"("digits": 2, "dtype": "<f4")") + "," + little,
    named("bitround", R"("keepbits": 5)") + "," + little + "," + of_blocks,
    named("numcodecs.fixedscaleoffset", R"("offset": 0, "scale": 10, "dtype": "<f4", "astype": "<i4")") + "," + little,
    named("cast_value", R"("data_type": "float64")") + "," + little,
    named("reshape", R"("shape": [[0, 1], 10])") + "," + little,
    named("squeeze") + "," + little,
    named("packbits"),
    little + "," + named("numcodecs.bz2", R"("level": 1)"),
    little + "," + named("numcodecs.lzma"),
    little + "," + named("numcodecs.lz4"),
    little + "," + named("numcodecs.zlib", R"("level": 1)"),
    little + "," + named("numcodecs.adler32"),
    little + "," + named("numcodecs.crc32"),
    little + "," + named("numcodecs.fletcher32"),
    little + "," + named("numcodecs.jenkins_lookup3"),
};

using P = AnyPipeline<space::Host, space::Host, AllCodecs>;
Extents const shape{50, 31, 10}, chunks{30, 20, 10};

std::vector<float> numbers(Random& random) {
  std::vector<float> result(50 * 31 * 10);
  float level = 0;
  for (auto& number : result) number = level += static_cast<float>(random(0, 3)) / 2;
  return result;
}

template <class S>
void check_boxes(S const& store, std::string const& chain, bool is_sharded, Random& random) {
  NewArray<float> options{.shape = shape, .chunks = chunks};
  if (is_sharded) options.shards = {60, 40, 10};
  auto const array = create_array<float, 3>(store, "a", options, P::from(test::specifications("[" + chain + "]")),
                                            HostQueue{random.one_in(2) ? 1u : 3u});
  array.write(all, numbers(random));
  std::vector<float> whole(50 * 31 * 10);
  array.read(all, whole);
  for (int i = 0; i < 5; ++i) {
    Box const box{test::random_slices(random, shape)};
    auto const region = box.resolve(shape);
    std::vector<float> found(test::size_of(region.count));
    array.read(box, found);
    CHECK(test::memory_of(found) == test::picked(test::memory_of(whole), shape, 4, region));
  }
}

}  // namespace

TEST_CASE("random boxes are parts of the whole array, whichever codecs decode parts of chunks") {
  std::uint64_t const seed = 4301;
  for (std::size_t c = 0; c < chains.size(); ++c)
    for (bool const is_sharded : {false, true}) {
      CAPTURE(seed + c);
      CAPTURE(chains[c]);
      CAPTURE(is_sharded);
      Random random{seed + c};
      check_boxes(MemoryStore<HostBuffer>{}, chains[c], is_sharded, random);
      check_boxes(test::Remote{}, chains[c], is_sharded, random);
    }
}

namespace {

template <class P>
auto line(P const& pipeline, std::uint64_t count = 1'000'000) {
  test::Remote const store;
  auto const array = create_array<float, 1>(store, "a", {.shape = {count}, .chunks = {count}}, pipeline, HostQueue{1});
  std::vector<float> elements(count);
  for (std::size_t i = 0; i < count; ++i) elements[i] = static_cast<float>(i % 1000) / 8;
  array.write(all, elements);
  store.asked->take();
  return std::pair{store, array};
}
template <class Array>
std::uint64_t decoded_for(Array const& array, std::uint64_t first, std::uint64_t count) {
  Traffic traffic;
  std::vector<float> found(count);
  array.read(Box{Slice{first, first + count}}, found, {.traffic = &traffic});
  std::size_t right = 0;
  for (std::size_t i = 0; i < count; ++i) right += found[i] == static_cast<float>((first + i) % 1000) / 8;
  CHECK(right == count);
  return traffic.decoded;
}

}  // namespace

TEST_CASE("of a blosc chunk of 4 MB one block is decoded for an element") {
  constexpr std::uint64_t block = 65536, item = 4, elements = block / item;
  codec::Blosc const blosc{"zstd", 5, "shuffle", item, block};
  auto const array = line(Pipeline<space::Host, codec::Bytes, codec::Blosc>{{}, blosc}).second;
  CHECK(decoded_for(array, 200'000, 1) == block);
  CHECK(decoded_for(array, elements, elements) == block);
  CHECK(decoded_for(array, 3 * elements - 1, 2) == 2 * block);
  CHECK(decoded_for(array, 999'999, 1) == 4'000'000 % block);
  CHECK(decoded_for(array, 0, 1'000'000) == 4'000'000);
  CHECK(decoded_for(array, 0, 500'001) == 4'000'000);  // a half or more is decoded with the rest

  auto const checked = line(Pipeline<space::Host, codec::Bytes, codec::Blosc, codec::Crc32c>{{}, blosc, {}}).second;
  CHECK(decoded_for(checked, 200'000, 1) == block);
}

TEST_CASE("codecs of single elements decode the wanted ones, and only these are read") {
  using P = Pipeline<space::Host, codec::AsType, codec::Bytes>;
  auto const [store, array] = line(P::from(test::specifications("[" + halves + "," + little + "]")));
  CHECK(decoded_for(array, 200, 3) == 12);
  CHECK(store.asked->take() == std::vector<std::string>{"a/c/0 400 + 6"});
  // of which there may be too few
  HostQueue on{1};
  store.values.write({"a/c/0"}, get_value(store.values, {"a/c/0"}, on)->view().sub(0, 404), on);
  std::vector<float> found(3);
  test::check_refused<CodecError>([&] { array.read(Box{Slice{200, 203}}, found); }, {"a/c/0"});
}

}  // namespace decoded_parts_tests
