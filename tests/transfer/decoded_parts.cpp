// Parts of chunks that codecs decode alone: against whole reads, over all codecs, and what is decoded for them.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <support/remote_store.hpp>
#include <support/temporary_folder.hpp>
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
    little + "," + named("zstd", R"("level": 1, "checksum": false)"),
    big + "," + named("zstd", R"("level": 1, "checksum": true)") + "," + named("crc32c"),
    named("transpose", R"("order": [1, 2, 0])") + "," + little + "," + named("zstd", R"("level": 0)"),
    scaled + "," + halves + "," + big + "," + named("numcodecs.lz4"),
    named("packbits") + "," + named("zstd", R"("level": 1)"),
    halves + "," + named("numcodecs.delta", R"("dtype": "<f2")") + "," + little + "," + named("zstd", R"("level": 1)"),
    little + "," + named("numcodecs.shuffle", R"("elementsize": 4)") + "," + named("zstd", R"("level": 1)"),
    little + "," + named("zstd", R"("level": 1)") + "," + named("numcodecs.lz4"),
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

TEST_CASE("zstd and lz4 decode a chunk up to the last wanted element, if that saves an eighth") {
  constexpr std::uint64_t block = 128 << 10, whole = 4'000'000;
  auto const plain = line(Pipeline<space::Host, codec::Bytes, codec::Zstd>{}).second;
  CHECK(decoded_for(plain, 0, 1) == block);
  CHECK(decoded_for(plain, 2 * block / 4 - 1, 1) == 2 * block);
  CHECK(decoded_for(plain, 2 * block / 4, 1) == 3 * block);
  CHECK(decoded_for(plain, 870'000, 1) == 27 * block);
  CHECK(decoded_for(plain, 875'000, 1) == whole);
  CHECK(decoded_for(plain, 999'999, 1) == whole);
  CHECK(decoded_for(plain, 0, 1'000'000) == whole);

  auto const lz4 = line(Pipeline<space::Host, codec::Bytes, codec::Lz4, codec::Crc32c>{}).second;
  CHECK(decoded_for(lz4, 100'000, 1) == 400'004);
  CHECK(decoded_for(lz4, 999'999, 1) == whole);

  // Only the whole can be compared with the frame's checksum.
  auto const checked = line(Pipeline<space::Host, codec::Bytes, codec::Zstd>{{}, {1, true}}).second;
  CHECK(decoded_for(checked, 0, 1) == whole);
}

TEST_CASE("codecs of single elements decode the wanted ones, and only these are read") {
  using P = Pipeline<space::Host, codec::AsType, codec::Bytes>;
  auto const made = line(P::from(test::specifications("[" + halves + "," + little + "]")));
  auto const& store = made.first;
  auto const& array = made.second;
  CHECK(decoded_for(array, 200, 3) == 12);
  CHECK(store.asked->take() == std::vector<std::string>{"a/c/0 400 + 6"});
  // of which there may be too few
  HostQueue on{1};
  store.values.write({"a/c/0"}, get_value(store.values, {"a/c/0"}, on)->view().sub(0, 404), on);
  std::vector<float> found(3);
  test::check_refused<CodecError>([&] { array.read(Box{Slice{200, 203}}, found); }, {"a/c/0"});
}

namespace {

// Boxes of an array of random elements, which has one chunk of 40'000 in rows of 200, are the whole array's.
template <class T>
void check_random_boxes(std::string const& chain, Random& random) {
  Extents const extents{200, 200};
  auto const array = create_array<T, 2>(test::Remote{}, "a", {.shape = extents, .chunks = extents},
                                        P::from(test::specifications("[" + chain + "]")), HostQueue{1});
  HostQueue on{1};
  OwnedArray<T, 2, HostBuffer> elements{extents, on};
  for (std::size_t i = 0; i < elements.size(); ++i)
    elements.data()[i] = static_cast<T>(random(0, std::uint64_t{1} << 62));
  array.write(all, elements.view());
  auto const whole = array.read(all);
  for (int i = 0; i < 20; ++i) {
    auto const first = random(0, 199), count = random(1, std::min<std::uint64_t>(200 - first, 30));
    auto const column = random(0, 199), columns = random(1, 200 - column);
    auto const found = array.read({{first, first + count}, {column, column + columns}});
    std::size_t right = 0;
    for (std::uint64_t r = 0; r < count; ++r)
      for (std::uint64_t c = 0; c < columns; ++c) right += found(r, c) == whole(first + r, column + c);
    CHECK(right == count * columns);
  }
}
template <class T>
auto of_one_chunk(std::string const& chain) {
  test::Remote const store;
  auto const array = create_array<T, 1>(store, "a", {.shape = {100'000}, .chunks = {100'000}},
                                        P::from(test::specifications("[" + chain + "]")), HostQueue{1});
  HostQueue on{1};
  OwnedArray<T, 1, HostBuffer> elements{{100'000}, on};
  for (std::size_t i = 0; i < elements.size(); ++i) elements.data()[i] = static_cast<T>(i % 7 < 3);
  array.write(all, elements.view());
  store.asked->take();
  return std::pair{store, array};
}
// What is asked of the store, and decoded, for elements `first` to `first + count`; none, if these are wrong.
template <class Made>
std::pair<std::string, std::uint64_t> asked_for(Made const& made, std::uint64_t first, std::uint64_t count) {
  Traffic traffic;
  auto const found = made.second.read(Box{Slice{first, first + count}}, {.traffic = &traffic});
  for (std::uint64_t i = 0; i < count; ++i)
    if ((found(i) != 0) != ((first + i) % 7 < 3)) return {"other elements", 0};
  auto const asked = made.first.asked->take();
  return {asked.size() == 1 ? asked[0] : "several requests", traffic.decoded};
}
using Asked = std::pair<std::string, std::uint64_t>;

std::string const of_bools = named("numcodecs.packbits") + "," + little;
std::string const differences = named("numcodecs.delta", R"("dtype": "<i4", "astype": "<i2")") + "," + little;

}  // namespace

TEST_CASE("random boxes of packed bits, booleans and differences are parts of the whole array") {
  std::uint64_t const seed = 4303;
  CAPTURE(seed);
  Random random{seed};
  auto const bits = [](int first, int last) {
    return named("packbits", to_text({"\"first_bit\": ", first, ", \"last_bit\": ", last}));
  };
  check_random_boxes<bool>(of_bools, random);
  check_random_boxes<bool>(of_bools + "," + named("crc32c"), random);
  check_random_boxes<bool>(named("packbits"), random);
  check_random_boxes<std::uint8_t>(bits(1, 3), random);
  check_random_boxes<std::int16_t>(bits(0, 4), random);
  check_random_boxes<std::int32_t>(bits(3, 15), random);
  check_random_boxes<std::uint64_t>(bits(0, 62), random);
  for (auto const* padding : {"first_byte", "last_byte"})
    check_random_boxes<std::uint16_t>(named("packbits", to_text({"\"padding_encoding\": \"", padding, "\""})), random);
  check_random_boxes<std::int32_t>(differences, random);
  check_random_boxes<std::int64_t>(named("numcodecs.delta", R"("dtype": "<i8", "astype": "<i8")") + "," + big, random);
  check_random_boxes<std::uint32_t>(named("numcodecs.delta", R"("dtype": "<u4")") + "," + little + "," + of_blocks,
                                    random);
}

TEST_CASE("of packed bits the bytes with the wanted ones are read, of differences those up to the last wanted one") {
  auto const bools = of_one_chunk<bool>(of_bools);
  CHECK(asked_for(bools, 80'003, 3) == Asked{"a/c/0 10001 + 1", 3});
  CHECK(asked_for(bools, 80'007, 10) == Asked{"a/c/0 10001 + 3", 10});
  CHECK(asked_for(bools, 0, 100'000) == Asked{"a/c/0", 100'000});
  auto const packed = of_one_chunk<bool>(named("packbits"));
  CHECK(asked_for(packed, 80'007, 10) == Asked{"a/c/0 10000 + 3", 10});
  auto const threes = of_one_chunk<std::int32_t>(named("packbits", R"("last_bit": 2)"));
  CHECK(asked_for(threes, 80'001, 3) == Asked{"a/c/0 30000 + 2", 12});
  CHECK(asked_for(of_one_chunk<bool>(named("packbits", R"("padding_encoding": "first_byte")")), 80'007, 10) ==
        Asked{"a/c/0", 100'000});
  auto const sums = of_one_chunk<std::int32_t>(differences);
  CHECK(asked_for(sums, 20'000, 10) == Asked{"a/c/0 0 + 40020", 4 * 20'010});
  CHECK(asked_for(sums, 99'990, 10) == Asked{"a/c/0 0 + 200000", 400'000});
}

TEST_CASE("a chunk of packed bits or of differences that is too short is an error where its part ends") {
  HostQueue on{1};
  auto const check = [&](auto const& made, std::size_t size) {
    auto const& values = made.first.values;
    values.write({"a/c/0"}, test::view(test::copy(get_value(values, {"a/c/0"}, on)->view().sub(0, size))), on);
    test::check_refused<CodecError>([&] { (void)made.second.read(Box{Slice{80'003, 80'006}}); }, {"a/c/0"});
  };
  check(of_one_chunk<bool>(of_bools), 10'001);
  check(of_one_chunk<bool>(named("packbits")), 10'000);
  check(of_one_chunk<std::int32_t>(differences), 160'010);
}

TEST_CASE("a budget without room for the memory with which codecs decode parts has chunks decoded as a whole") {
  constexpr std::uint64_t block = 65536;
  codec::Blosc const blosc{"zstd", 5, "shuffle", 4, block};
  auto const array = line(Pipeline<space::Host, codec::Bytes, codec::Blosc>{{}, blosc}).second;
  auto const plain = line(Pipeline<space::Host, codec::Bytes, codec::Zstd>{}).second;
  std::vector<float> found(1);
  // 0: the budget is refused.
  auto const decoded_within = [&](auto const& from, std::uint64_t budget) -> std::uint64_t {
    Traffic traffic;
    try {
      from.read(Box{Slice{5, 6}}, found, {.memory = budget, .traffic = &traffic});
    } catch (BudgetError const&) {
      return 0;
    }
    CHECK(found[0] == 5.0f / 8);
    return traffic.decoded;
  };
  constexpr std::uint64_t size = 4'000'000, beside = 100'000;
  CHECK(decoded_within(array, 2 * size) == 0);
  CHECK(decoded_within(array, 2 * size + beside) == size);
  CHECK(decoded_within(array, 4 * size) == size);
  CHECK(decoded_within(array, 4 * size + beside) == block);
  CHECK(decoded_within(plain, 2 * size) == 0);
  CHECK(decoded_within(plain, 2 * size + beside) == size);
  CHECK(decoded_within(plain, 3 * size + beside) == size);
  CHECK(decoded_within(plain, 3 * size + 4 * block + beside) == 2 * block);
}

namespace {

// Notes what is read of chunks, and calls `then` behind each call.
struct Noted : LocalStore<HostBuffer> {
  struct Reads {
    std::vector<std::string> all{};
    std::function<void()> then{};
  };
  using LocalStore::LocalStore;
  std::shared_ptr<Reads> reads = std::make_shared<Reads>();
  void get_many(std::span<ReadRequest<space::Host>> requests, HostQueue& on) const {
    LocalStore::get_many(requests, on);
    for (auto const& request : requests)
      reads->all.push_back(to_text({request.key->path, " ", request.range.offset, " + ", request.range.size}));
    if (reads->then) std::exchange(reads->then, {})();
  }
};
using Blocks = Pipeline<space::Host, codec::Bytes, codec::Blosc>;
codec::Blosc const in_blocks{"zstd", 5, "noshuffle", 1, 65536};
constexpr std::uint64_t count = 1'000'000;

std::vector<std::uint32_t> counting(std::uint32_t first) {
  std::vector<std::uint32_t> result(count);
  for (auto& number : result) number = first += first % 7 + 3;
  return result;
}

}  // namespace

TEST_CASE("of a blosc chunk in a file the offsets of its blocks are read, and the block of an element") {
  test::TemporaryFolder const folder;
  Noted const store{folder / ""};
  Blocks const blocks{{}, in_blocks};
  auto const array =
      create_array<std::uint32_t, 1>(store, "a", {.shape = {count}, .chunks = {count}}, blocks, HostQueue{1});
  auto const elements = counting(1);
  array.write(all, elements);
  auto& reads = store.reads->all;
  reads.clear();
  Traffic traffic;
  std::vector<std::uint32_t> one(1);
  array.read(Box{Slice{500'000, 500'001}}, one, {.traffic = &traffic});
  CHECK(one[0] == elements[500'000]);
  REQUIRE(reads.size() == 2);
  CHECK(reads[0] == "a/c/0 0 + 3924");
  CHECK(traffic.decoded == 65536);
  CHECK(traffic.fetched < 3924 + 65536);
  CHECK(array.read(all)(999'999) == elements.back());
  CHECK(reads.size() == 3);
}

namespace {

// Sees that a file was replaced, but does not keep the old one open.
struct Unheld : Noted {
  using Noted::Noted;
  ValueWatch watch(Key const& key) const { return ValueWatch{Noted::watch(key).version()}; }
};

template <class S>
void check_replaced(S const& store, Extents const& shards, bool sees_new) {
  NewArray<std::uint32_t> wanted{.shape = {2 * count}, .chunks = {count}};
  wanted.shards = shards;
  auto const array = create_array<std::uint32_t, 1>(store, "a", wanted, Blocks{{}, in_blocks}, HostQueue{1});
  auto const other = open_array<std::uint32_t, 1, Blocks>(static_cast<LocalStore<HostBuffer> const&>(store), "a");
  auto const before = counting(1), after = counting(5'000'000);
  array.write({{count, 2 * count}}, before);
  array.keep_shard_indexes(1 << 20);
  std::vector<std::uint32_t> found(20'000);
  array.read({{count, count + 1}}, std::span{found}.first(1));
  store.reads->then = [&] { other.write({{count, 2 * count}}, after); };
  array.read({{count + 700'000, count + 720'000}}, found);
  CHECK(std::equal(found.begin(), found.end(), (sees_new ? after : before).begin() + 700'000));
}

}  // namespace

TEST_CASE("a blosc chunk that is replaced between its offsets and its block is read from one value") {
  test::TemporaryFolder const folder;
  check_replaced(Noted{folder / "held"}, {}, false);
  check_replaced(Unheld{folder / "unheld"}, {}, true);
  check_replaced(Noted{folder / "held in a shard"}, {2 * count}, false);
  check_replaced(Unheld{folder / "unheld in a shard"}, {2 * count}, true);
}

TEST_CASE("a part of a damaged blosc chunk in a file is an error, or other elements") {
  std::uint64_t const seed = 4302;
  CAPTURE(seed);
  Random random{seed};
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder / ""};
  constexpr std::uint64_t n = 40'000;
  Blocks const small{{}, codec::Blosc{"lz4", 5, "shuffle", 4, 8192}};
  auto const array = create_array<std::uint32_t, 1>(store, "a", {.shape = {n}, .chunks = {n}}, small, HostQueue{1});
  std::vector<std::uint32_t> elements(n), found(10);
  for (auto& element : elements) element = static_cast<std::uint32_t>(random(0, 999));
  array.write(all, elements);
  HostQueue on{1};
  auto const sound = test::copy(get_value(store, {"a/c/0"}, on)->view());
  int answered = 0, right = 0;
  for (int round = 0; round < 300; ++round) {
    auto value = sound;
    if (round % 4 == 0)
      value.resize(random(0, value.size() - 1));
    else
      value[random(0, round % 2 ? 99 : value.size() - 1)] ^= static_cast<std::byte>(1u << random(0, 7));
    store.write({"a/c/0"}, test::view(value), on);
    auto const at = random(0, n - found.size());
    try {
      array.read(Box{Slice{at, at + found.size()}}, found);
      right += std::equal(found.begin(), found.end(), elements.begin() + static_cast<std::ptrdiff_t>(at));
      ++answered;
    } catch (Error const&) {
      ++answered;
    }
  }
  CHECK(answered == 300);
  CHECK(right > 100);
}

namespace {

// Frames of a thousand bytes, each with an offset in front. Counts what it decodes.
struct Frames {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "example.frames";
  static constexpr std::size_t frame = 1000, offset = 4;
  static inline std::atomic<std::size_t> decoded{0};

  static std::size_t frames(std::size_t size) { return (size + frame - 1) / frame; }
  std::size_t encoded_bound(std::size_t size) const { return size + offset * frames(size); }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, HostQueue&) const {
    auto const table = offset * frames(from.size);
    for (std::size_t i = 0; i < frames(from.size); ++i) {
      auto const at = static_cast<std::uint32_t>(table + i * frame);
      std::memcpy(to.data + i * offset, &at, offset);
    }
    std::memcpy(to.data + table, from.data, from.size);
    return table + from.size;
  }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, HostQueue& on) const {
    return decode_part(from, to, {0, to.size, to.size}, on);
  }
  std::size_t decode_part(ByteView<space::Host> from, ByteSpan<space::Host> to, ChunkPart part, HostQueue&) const {
    auto const place = place_of(from, part);
    if (from.size != place.whole) throw CodecError{"a wrong size"};
    std::memcpy(to.data, from.data + place.first, part.size);
    decoded += part.size;
    return part.size;
  }
  std::size_t index_size(std::size_t size) const { return offset * frames(size); }
  ChunkPart encoded_part(ByteView<space::Host> index, ChunkPart part) const { return place_of(index, part); }

 private:
  static ChunkPart place_of(ByteView<space::Host> index, ChunkPart part) {
    std::uint32_t at = 0;
    if (index.size < offset * frames(part.whole)) throw CodecError{"a short table"};
    std::memcpy(&at, index.data + part.first / frame * offset, offset);
    return {at + part.first % frame, part.size, part.whole + offset * frames(part.whole)};
  }
};

}  // namespace

TEST_CASE("a codec of a program's own decodes parts, from a file, from memory and in shards") {
  test::TemporaryFolder const folder;
  auto const check = [](auto const& store, Extents const& shards) {
    NewArray<std::uint32_t> wanted{.shape = {count}, .chunks = {count / 2}};
    wanted.shards = shards;
    Pipeline<space::Host, codec::Bytes, Frames> const frames{};
    auto const array = create_array<std::uint32_t, 1>(store, "a", wanted, frames);
    auto const elements = counting(3);
    array.write(all, elements);
    Frames::decoded = 0;
    Traffic traffic;
    std::vector<std::uint32_t> found(10);
    array.read({{700'000, 700'010}}, found, {.traffic = &traffic});
    CHECK(std::equal(found.begin(), found.end(), elements.begin() + 700'000));
    CHECK(Frames::decoded == 40);
    CHECK(traffic.decoded == 40);
    return traffic.fetched.load();
  };
  CHECK(check(LocalStore<HostBuffer>{folder / "files"}, {}) == 8000 + 40);
  CHECK(check(LocalStore<HostBuffer>{folder / "shards"}, {count}) == 8000 + 40);
  CHECK(check(MemoryStore<HostBuffer>{}, {}) == 2'008'000);
}

}  // namespace decoded_parts_tests
