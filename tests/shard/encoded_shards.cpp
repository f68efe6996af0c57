// Codecs after a shard: its value passes them as a whole (CODEC-SHARD-22).
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/is_document.hpp>
#include <support/refused.hpp>
#include <support/sharded.hpp>
#include <support/temporary_folder.hpp>
#include <support/written_array.hpp>
#include <tessera/node/create.hpp>
#include <tessera/shard/detail/decoded_shard_store.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/all.hpp>

namespace encoded_shards_tests {

using namespace tessera;
using test::Bytes;
using Memory = MemoryStore<HostBuffer>;
using HostQueue = Queue<space::Host>;

namespace {

constexpr auto zstd = R"({"name": "zstd", "configuration": {"level": 1, "checksum": false}})";
constexpr auto crc32c = R"({"name": "crc32c"})";

std::string behind(std::string const& list, std::initializer_list<std::string> codecs) {
  auto result = list.substr(0, list.size() - 1);
  for (auto const& codec : codecs) result += ", " + codec;
  return result + ']';
}

// A store that counts the reads of a value, and has only the required functions.
struct Counting {
  using buffer_type = HostBuffer;
  Memory inner{};
  std::shared_ptr<std::atomic<int>> reads = std::make_shared<std::atomic<int>>(0);

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  HostQueue& on) const {
    if (!test::is_document(key)) {
      CHECK(range.is_whole());
      ++*reads;
    }
    return inner.read(key, range, destination, on);
  }
  void write(Key const& key, ByteView<space::Host> value, HostQueue& on) const { inner.write(key, value, on); }
  bool erase(Key const& key, HostQueue& on) const { return inner.erase(key, on); }
};

// A store without space for one key, whose errors do not name it.
struct Filling {
  using buffer_type = HostBuffer;
  Memory inner{};

  static std::string name() { return "filling store"; }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  HostQueue& on) const {
    return inner.read(key, range, destination, on);
  }
  void write(Key const& key, ByteView<space::Host> value, HostQueue& on) const {
    if (key.path == "a/c/0/1") throw StoreError{"no space"};
    inner.write(key, value, on);
  }
  bool erase(Key const& key, HostQueue& on) const { return inner.erase(key, on); }
};

/// The same writes into an array with codecs after its shards and one without: the elements are the same, and so are
/// the decoded values.
template <class S>
void check_encoded(S const& store, std::uint64_t seed) {
  CAPTURE(seed);
  test::Random random{seed};
  auto const rank = random(0, 3);
  test::ArrayContent content{test::random_type(random), random.extents(rank, 1, 14), random.extents(rank, 1, 8), {}};
  content.elements = Bytes(test::size_of(content.shape) * content.type.size);
  auto const plain =
      test::random_sharding(random, content.chunk_shape, test::json_list(codec::Bytes{}, codec::Zstd{1, false}),
                            static_cast<int>(random(1, 3)));
  bool const is_compressed = random.one_in(2);
  auto const codecs = is_compressed ? behind(plain, {zstd, crc32c}) : behind(plain, {crc32c});
  CAPTURE(codecs);
  auto const metadata = test::array_metadata(content.document(codecs).text());
  auto const array = create_any<AllCodecs>(store, "a", metadata, {}, test::HostQueue{random(1, 3)});
  REQUIRE(array.metadata().codecs.size() == metadata.codecs.size());
  for (std::size_t i = 0; i < metadata.codecs.size(); ++i)
    CHECK(array.metadata().codecs[i].name == metadata.codecs[i].name);
  Memory const as_shards;
  auto const other =
      create_any<AllCodecs>(as_shards, "a", test::array_metadata(content.document(plain).text()), {true});
  for (int round = 0; round < 6; ++round) {
    auto const region =
        (round == 3 ? Box(all) : Box{test::random_slices(random, content.shape)}).resolve(content.shape);
    auto values = random.noise(test::size_of(region.count) * content.type.size);
    if (round == 4 || content.type.kind == DataKind::boolean) std::fill(values.begin(), values.end(), std::byte{0});
    WriteOptions options;
    options.append_to_shards = random.one_in(2);
    auto const strides = Layout::c_order(region.count, content.type.size).strides;
    array.write(region, {values.data(), strides}, options);
    other.write(region, {values.data(), strides});
    test::put_elements(content, region, values);
    ReadOptions reading;
    reading.mini_batch = random(0, 5);
    auto const part = Box{test::random_slices(random, content.shape)}.resolve(content.shape);
    CHECK(test::read_bytes(array, part, reading) ==
          test::picked(content.elements, content.shape, content.type.size, part));
    CHECK(test::read_bytes(open_any<AllCodecs>(store, "a"), Box{all}.resolve(content.shape)) == content.elements);
  }
  CHECK(array.compact() == 0);
  HostQueue on;
  test::for_each_index(content.grid_shape(), [&](Extents const& place) {
    Key const key{content.chunk_key("a", place)};
    auto const value = get_value(store, key, on), shard = get_value(as_shards, key, on);
    REQUIRE(value.has_value() == shard.has_value());
    if (!value) return;
    Bytes decoded(shard->view().size + 100);
    auto size = codec::Crc32c{}.decode(value->view(), test::span(decoded), on);
    auto const checked = Bytes(decoded.begin(), decoded.begin() + static_cast<std::ptrdiff_t>(size));
    if (is_compressed) size = codec::Zstd{}.decode(test::view(checked), test::span(decoded), on);
    decoded.resize(size);
    CHECK(test::text(test::view(decoded)) == test::text(shard->view()));
  });
}

// Four shards of four inner chunks each.
template <class S>
auto four_shards(S const& store, std::string const& codecs, HostQueue on = {}) {
  auto const metadata = test::array_metadata(test::sharded_document("[8, 8]", "[4, 4]", codecs).text());
  auto const array = create_any<AllCodecs>(store, "a", metadata, {}, on);
  Bytes values(64);
  for (std::size_t i = 0; i < 64; ++i) values[i] = static_cast<std::byte>(i + 1);
  array.write(Box{all}.resolve(array.shape()), {values.data(), Strides{8, 1}});
  return array;
}

}  // namespace

TEST_CASE("what codecs stand behind a shard is read and written as a whole, at any depth (CODEC-SHARD-22)") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    check_encoded(Memory{}, seed);
    check_encoded(Counting{}, seed + 1000);
    test::TemporaryFolder const folder;
    check_encoded(LocalStore<HostBuffer>{folder / "root"}, seed + 2000);
  }
}

TEST_CASE("a pipeline of the compiler's has codecs behind its shards too (CODEC-SHARD-22)") {
  using Inner = Pipeline<space::Host, codec::Bytes>;
  using Coded = Pipeline<space::Host, codec::Transpose, codec::Sharding<Inner>, codec::Zstd, codec::Crc32c>;
  Memory const store;
  Coded const pipeline{codec::Transpose{{1, 0}}, codec::Sharding<Inner>{{2, 1}}, codec::Zstd{3}, codec::Crc32c{}};
  auto const array = create_array<std::uint16_t, 2>(store, "a", {.shape = {6, 10}, .chunks = {3, 4}}, pipeline);
  std::vector<std::uint16_t> values(60);
  for (std::uint16_t i = 0; i < 60; ++i) values[i] = i;
  array.write(all, values);
  std::vector<std::uint16_t> found(60);
  open_array<std::uint16_t, 2, AllCodecs>(store, "a").read(all, found);
  CHECK(found == values);
  array.write(Box{{2, 4}, {3, 5}}, std::vector<std::uint16_t>{100, 101, 102, 103});
  values[23] = 100, values[24] = 101, values[33] = 102, values[34] = 103;
  open_array<std::uint16_t, 2, Coded>(store, "a").read(all, found);
  CHECK(found == values);
}

TEST_CASE("a value with codecs behind it is read once in a call, whatever threads and mini-batches there are") {
  auto const codecs = behind(test::Sharding{"[2, 2]"}.list(), {zstd});
  for (std::size_t threads : {0u, 3u}) {
    Counting const store;
    auto const array = four_shards(store, codecs, HostQueue{threads});
    for (std::size_t size : {1u, 3u, 0u}) {
      *store.reads = 0;
      ReadOptions options;
      options.mini_batch = size;
      auto const bytes = test::read_bytes(array, Box{all}.resolve(array.shape()), options);
      CHECK(bytes.back() == std::byte{64});
      CHECK(*store.reads == 4);
    }
    *store.reads = 0;
    array.write(Box{{1, 2}, {1, 2}}.resolve(array.shape()), {std::vector<std::byte>(1).data(), Strides{1, 1}});
    CHECK(*store.reads == 1);
  }
}

TEST_CASE("as many decoded values are kept as there are threads, however large, and a damaged one counts for nothing") {
  detail::DecodedValues values;
  SequenceCounter unchanged;
  int decoded = 0;
  auto const get = [&](std::string const& key, std::uint64_t size, SequenceCounter const& changes, std::size_t few) {
    return values.get(Key{key}, changes, few, [&]() -> detail::DecodedValues::Value {
      ++decoded;
      if (size == 0) throw CodecError{"damaged"};
      return std::make_shared<ValueCodecs::Bytes const>(ValueCodecs::Bytes{{}, {nullptr, size}});  // it is not read
    });
  };
  constexpr std::uint64_t large = 40 << 20;
  for (int round = 0; round < 5; ++round)
    for (auto const* key : {"a", "b", "c"}) CHECK(get(key, large, unchanged, 3)->view.size == large);
  CHECK(decoded == 3);
  get("d", 1, unchanged, 2);  // now they are too large
  get("a", 1, unchanged, 2);
  CHECK(decoded == 5);

  decoded = 0;
  SequenceCounter changed;
  for (auto const* key : {"x", "y"}) get(key, 30 << 20, changed, 2);
  changed.during([] {});
  CHECK_THROWS_AS(get("x", 0, changed, 2), CodecError);
  for (int round = 0; round < 3; ++round)
    for (auto const* key : {"z", "w"}) get(key, 30 << 20, unchanged, 2);
  CHECK(decoded == 5);
}

TEST_CASE("a value with codecs behind it takes memory for what is in it, not for what could be") {
  constexpr auto deflate = R"({"name": "gzip", "configuration": {"level": 1}})";
  constexpr auto blosc =
      R"({"name": "blosc", "configuration": {"cname": "lz4", "clevel": 1, "shuffle": "noshuffle", "blocksize": 0}})";
  for (auto const& codecs :
       std::vector<std::vector<std::string>>{{zstd}, {deflate}, {blosc}, {crc32c}, {zstd, crc32c}}) {
    CAPTURE(codecs.front());
    auto chain = test::Sharding{"[4194304]", test::json_list(codec::Bytes{}, codec::Zstd{1, false})}.list();
    for (auto const& codec : codecs) chain = behind(chain, {codec});
    Memory const store;
    auto const document = test::sharded_document("[274877906944]", "[274877906944]", chain);  // 256 GiB
    auto const array = create_any<AllCodecs>(store, "a", test::array_metadata(document.text()), {}, HostQueue{});
    Bytes const written(3, std::byte{7});
    auto const region = Box{{200'000'000'000, 200'000'000'003}}.resolve(array.shape());
    array.write(region, {written.data(), Strides{1}});
    CHECK(test::read_bytes(array, region) == written);
  }
}

TEST_CASE("a damaged value with codecs behind it is found out before memory is taken for a whole shard") {
  constexpr auto deflate = R"({"name": "gzip", "configuration": {"level": 1}})";
  constexpr auto blosc =
      R"({"name": "blosc", "configuration": {"cname": "lz4", "clevel": 1, "shuffle": "noshuffle", "blocksize": 0}})";
  auto const most = std::numeric_limits<std::int64_t>::max() / (1 << 21);  // elements: no machine has that much memory
  for (std::string const codec : {zstd, deflate, blosc, crc32c}) {
    CAPTURE(codec);
    auto const chain = behind(test::Sharding{"[4194304]", test::json_list(codec::Bytes{})}.list(), {codec});
    auto const shape = '[' + std::to_string(most / 4194304 * 4194304) + ']';
    Memory const store;
    auto const array = create_any<AllCodecs>(
        store, "a", test::array_metadata(test::sharded_document(shape, shape, chain).text()), {}, HostQueue{});
    auto const named = "codec " + codec.substr(10, codec.find('"', 10) - 10) + ": ";
    for (auto const& value : {std::string{"x"}, std::string{"no value of any codec"}, std::string(40, '\0'),
                              test::text(test::view(test::hex("28b52ffd e0 000000000000ff00 010000"))),
                              test::text(test::view(test::hex("02010001 ffffff7f ffffff7f 10000000")))}) {
      test::put(store, "a/c/0", value);
      test::check_refused<CodecError>(
          [&] {
            test::read_bytes(array, Box{{5, 8}}.resolve(array.shape()));
          },
          {"key \"a/c/0\": ", named.c_str()});
    }
  }
}

TEST_CASE("a damaged value with codecs behind it is an error that names key and codec") {
  for (std::string const codec : {crc32c, zstd}) {
    Memory const store;
    auto const array = four_shards(store, behind(test::Sharding{"[2, 2]"}.list(), {codec}));
    auto const name = codec == crc32c ? "codec crc32c: " : "codec zstd: ";
    HostQueue on;
    auto const sound = test::text(get_value(store, Key{"a/c/1/0"}, on)->view());
    auto const read = [&](Box const& box) { return test::read_bytes(array, box.resolve(array.shape())); };
    auto const refuse = [&](std::string const& damaged) {
      test::put(store, "a/c/1/0", damaged);
      for (auto const& box : {Box{{5, 6}, {1, 2}}, Box{all, all}})
        test::check_refused<CodecError>([&] { read(box); }, {"memory store: key \"a/c/1/0\": ", name});
      test::check_refused<CodecError>(
          [&] {
            array.write(Box{{5, 6}, {1, 2}}.resolve(array.shape()), {std::vector<std::byte>(1).data(), Strides{1, 1}});
          },
          {"memory store: key \"a/c/1/0\": ", name});
      CHECK(test::text(get_value(store, Key{"a/c/1/0"}, on)->view()) == damaged);
      test::check_refused<CodecError>([&] { array.compact(); }, {"memory store: key \"a/c/1/0\": ", name});
      CHECK(read(Box{{0, 4}, all}).back() == std::byte{32});
    };
    for (std::size_t size = 1; size < sound.size(); size += 7) refuse(sound.substr(0, size));
    test::put(store, "a/c/1/0", sound + std::string(2000000, 'x'));
    test::check_refused<CodecError>([&] { read(Box{all, all}); }, {"key \"a/c/1/0\": ", "bytes; expected at most "});
    if (codec == zstd) continue;
    for (std::size_t i = 0; i < sound.size(); i += 5) {
      auto damaged = sound;
      damaged[i] = static_cast<char>(damaged[i] ^ 4);
      refuse(damaged);
    }
  }
}

TEST_CASE("a write of many values with codecs behind them is an error that names key and store") {
  auto const list = behind(test::Sharding{"[2, 2]"}.list(), {crc32c});
  auto const metadata = test::array_metadata(test::sharded_document("[8, 8]", "[4, 4]", list).text());
  auto const pipeline = AnyPipeline<space::Host, space::Host, AllCodecs>::from(metadata.codecs);
  auto const form = pipeline.resolve({metadata.chunk_shape, metadata.type, metadata.fill});
  Filling const store;
  KeyLocks locks;
  detail::ErasedWritableStoreOf<Filling> const inner{store, locks};
  detail::EncodedShardStore<> const encoded{inner, form};
  HostQueue on;
  Key const first{"a/c/0/0"}, full{"a/c/0/1"}, last{"a/c/1/0"}, wrong{"a/../b"};
  Bytes const value(12, std::byte{7});
  auto const write = [&](std::vector<WriteRequest<space::Host>> const& requests) { encoded.write_many(requests, on); };
  test::check_refused<StoreError>(
      [&] {
        write({{&first, test::view(value)}, {&full, test::view(value)}, {&last, test::view(value)}});
      },
      {"filling store: key \"a/c/0/1\": no space"});
  CHECK(get_value(store.inner, first, on)->view().size == value.size() + 4);
  CHECK(!get_value(store.inner, last, on));
  test::check_refused<StoreError>([&] { write({{&wrong, test::view(value)}}); }, {"filling store: key \"a/../b\": "});
}

TEST_CASE("what is in a value with codecs behind it may be damaged too") {
  Memory const store;
  auto const array = four_shards(store, behind(test::Sharding{"[2, 2]"}.list(), {crc32c}));
  HostQueue on;
  Bytes const shard(40), empty;  // too short for an index
  for (auto const& value : {shard, empty}) {
    Bytes encoded(value.size() + 4);
    codec::Crc32c{}.encode(test::view(value), test::span(encoded), on);
    test::put(store, "a/c/1/0", test::text(test::view(encoded)));
    test::check_refused<CodecError>([&] { test::read_bytes(array, Box{all}.resolve(array.shape())); },
                                    {"key \"a/c/1/0\": ", "the shard's index"});
  }
}

TEST_CASE("arrays with codecs behind their shards grow and shrink, and empty shards have no key") {
  Memory const store;
  auto const array = four_shards(store, behind(test::Sharding{"[2, 2]"}.list(), {zstd}));
  HostQueue on;
  array.resize({5, 3});
  CHECK_FALSE(value_size(store, Key{"a/c/0/1"}, on));
  array.resize({8, 8});
  auto const bytes = test::read_bytes(array, Box{all}.resolve(array.shape()));
  for (std::size_t i = 0; i < 64; ++i)
    CHECK(bytes[i] == (i / 8 < 5 && i % 8 < 3 ? static_cast<std::byte>(i + 1) : std::byte{0}));
  Bytes const zeros(64);
  array.write(Box{all}.resolve(array.shape()), {zeros.data(), Strides{8, 1}});
  for (auto* key : {"a/c/0/0", "a/c/0/1", "a/c/1/0", "a/c/1/1"}) CHECK_FALSE(value_size(store, Key{key}, on));
}

TEST_CASE("threads that write and read values with codecs behind them see whole chunks") {
  Memory const store;
  auto const array = four_shards(store, behind(test::Sharding{"[2, 2]"}.list(), {zstd}));
  std::atomic<int> writing{2}, wrong{0};
  std::vector<std::thread> threads;
  for (int writer = 0; writer < 2; ++writer)
    threads.emplace_back([&, writer] {
      HostQueue mine;
      for (int round = 0; round < 100; ++round) {
        Bytes const values(8, static_cast<std::byte>(2 * round + writer));  // a row of chunks of two shards, in part
        auto const row = static_cast<std::uint64_t>(4 * (round % 2) + 2 * writer);
        array.on(mine).write(Box{{row, row + 2}, {2, 6}}.resolve(array.shape()), {values.data(), Strides{4, 1}});
      }
      --writing;
    });
  threads.emplace_back([&] {
    HostQueue mine{2};
    while (writing > 0) {
      Bytes bytes(64);
      ReadOptions options;
      options.mini_batch = 2;
      array.on(mine).read(Box{all}.resolve(array.shape()), {bytes.data(), Strides{8, 1}}, options);
      for (std::size_t row = 0; row < 8; row += 2)
        for (std::size_t column : {2u, 4u}) {
          auto const at = bytes[row * 8 + column];
          bool const is_new = at == bytes[row * 8 + column + 1] && at == bytes[row * 8 + 8 + column];
          bool const is_first = at == static_cast<std::byte>(row * 8 + column + 1);
          wrong += !is_new && !is_first;
        }
    }
  });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
}

}  // namespace encoded_shards_tests
