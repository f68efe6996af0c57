// Damaged shards: errors name the key and the inner chunk, valid chunks are read, and nothing else happens, for any
// bytes.
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/shard_bytes.hpp>
#include <support/sharded.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <support/written_array.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::check_refused;
using Memory = MemoryStore<HostBuffer>;

namespace {

constexpr auto none = ShardEntry::none;

/// A MemoryStore that lends nothing: values are copied into the reader's memory.
struct Copying {
  using buffer_type = HostBuffer;
  Memory inner{};

  std::string name() const { return inner.name(); }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Queue<space::Host>& on) const {
    return inner.read(key, range, destination, on);
  }
  void write(Key const& key, ByteView<space::Host> value, Queue<space::Host>& on) const { inner.write(key, value, on); }
  bool erase(Key const& key, Queue<space::Host>& on) const { return inner.erase(key, on); }
};
static_assert(!LendingStore<Copying>);

/// Values that are lent, that are copied, and that are read in runs.
template <class F>
void for_each_store(F&& f) {
  f(Memory{});
  f(Copying{});
  test::TemporaryFolder const folder;
  f(LocalStore<HostBuffer>{folder / "root"});
}

std::string const shard = "a/c/0/0";

template <class S>
auto four_chunks(S const& store, test::Sharding const& sharding = {"[2, 2]"}) {
  test::put(store, "a/zarr.json", test::sharded_document("[4, 4]", "[4, 4]", sharding.list(), "46").text());
  return open_any<AllCodecs>(store, "a");
}

Region chunk_box(std::size_t i) {
  auto const row = i / 2 * 2, column = i % 2 * 2;
  return Box{{row, row + 2}, {column, column + 2}}.resolve({4, 4});
}

template <class Array>
std::string read_text(Array const& array, Region const& region, ReadOptions const& options = {}) {
  return test::text(test::view(test::read_bytes(array, region, options)));
}
template <class Array>
std::string read_all(Array const& array, ReadOptions const& options = {}) {
  return read_text(array, Box{all}.resolve(array.shape()), options);
}

/// Inner chunk i is damaged, and refused with the words; the others are unchanged.
void check_damaged(std::string const& value, std::size_t i, std::initializer_list<char const*> words,
                   test::Sharding const& sharding = {"[2, 2]"}) {
  auto const place = to_string(Extents{i / 2, i % 2});
  auto const refused = [&](auto const& store, auto&& read) {
    try {
      read();
      FAIL_CHECK("nothing was thrown");
    } catch (Error const& error) {
      std::string const line = error.what();
      CAPTURE(line);
      bool const is_known = typeid(error) == typeid(CodecError) || typeid(error) == typeid(StoreError);
      CHECK(is_known);
      CHECK(error.key() == shard);
      CHECK(error.store() == name_of(store));
      CHECK(error.inner_chunk() == place);
      for (std::string const word : words) {
        CAPTURE(word);
        CHECK(line.find(word) != line.npos);
      }
    }
  };
  auto const check = [&](auto const& store) {
    auto const array = four_chunks(store, sharding);
    test::put(store, shard, value);
    for (std::size_t other = 0; other < 4; ++other)
      if (other != i) CHECK(read_text(array, chunk_box(other)) == std::string(4, "ABCD"[other]));
    refused(store, [&] { read_text(array, chunk_box(i)); });
    refused(store, [&] { read_all(array); });                       // if stores copy, out of the whole shard
    refused(store, [&] { read_all(array, {.max_request_bytes = 1}); });  // by ranges
  };
  for_each_store(check);
}

/// The index is damaged: no inner chunk can be read or written, the error names none, and the shard is unchanged.
void check_index_damaged(std::string const& value, std::initializer_list<char const*> words,
                         test::Sharding const& sharding = {"[2, 2]"}) {
  auto const check = [&](auto const& store) {
    auto const array = four_chunks(store, sharding);
    test::put(store, shard, value);
    auto const check_read = [&](Region const& region, ReadOptions const& options) {
      auto const read = [&] {
        try {
          read_text(array, region, options);
        } catch (Error const& error) {
          CHECK(error.inner_chunk() == "");
          throw;
        }
      };
      check_refused<CodecError>(read, words);
    };
    for (std::size_t i = 0; i < 4; ++i) check_read(chunk_box(i), {});
    for (std::uint64_t most : {0u, 1u}) check_read(Box{all}.resolve({4, 4}), {.max_request_bytes = most});
    check_refused<CodecError>(
        [&] {
          array.write(chunk_box(1), {array.metadata().fill.data(), Strides{0, 0}});
        },
        {"key \"a/c/0/0\": ", "index"});
    CHECK(test::value(store, shard) == value);
  };
  check(Memory{});
  check(Copying{});
}

}  // namespace

TEST_CASE("inner chunks lie in any order, with gaps and bytes that nobody uses (CODEC-SHARD-12, CODEC-SHARD-20)") {
  test::ShardBytes bytes;
  bytes.chunks = "??DDDDCCCC????BBBBAAAA???";
  bytes.set(0, 18, 4).set(1, 14, 4).set(2, 6, 4).set(3, 2, 4);
  Memory const store;
  auto const array = four_chunks(store);
  test::put(store, shard, bytes.text());
  CHECK(read_all(array) == test::four_letters);
  auto const written = test::bytes("bbbb");
  array.write(chunk_box(1), {written.data(), Strides{2, 1}});
  CHECK(read_all(array) == "AAbbAAbbCCDDCCDD");
}

TEST_CASE("inner chunks may share bytes, until one of them is written (CODEC-SHARD-13)") {
  test::ShardBytes bytes;
  bytes.set(1, 0, 4).set(2, 2, 4);
  Memory const store;
  auto const array = four_chunks(store);
  test::put(store, shard, bytes.text());
  CHECK(read_all(array) == "AAAAAAAAAADDBBDD");
  auto const written = test::bytes("bbbb");
  array.write(chunk_box(1), {written.data(), Strides{2, 1}});
  CHECK(read_all(array) == "AAbbAAbbAADDBBDD");
}

TEST_CASE("a shard or an inner chunk that is missing is the fill value (CODEC-SHARD-09, CODEC-SHARD-18, FILL-02)") {
  Memory const store;
  auto const array = four_chunks(store);
  CHECK(read_all(array) == std::string(16, '.'));
  test::put(store, shard, test::ShardBytes{}.set(2, none, none).text());
  CHECK(read_all(array) == "AABBAABB..DD..DD");
}

TEST_CASE(
    "an entry that cannot be is an error of its inner chunk alone (CODEC-SHARD-09, CODEC-SHARD-14, CODEC-SHARD-17)") {
  using test::ShardBytes;
  auto const total = ShardBytes{}.text().size();
  for (std::size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    check_damaged(ShardBytes{}.set(i, 0, none).text(), i, {"the shard's index"});
    check_damaged(ShardBytes{}.set(i, none, 4).text(), i, {"the shard's index"});
    check_damaged(ShardBytes{}.set(i, none - 1, 4).text(), i, {"the shard's index"});
    check_damaged(ShardBytes{}.set(i, 4, none - 1).text(), i, {"the shard's index"});
    check_damaged(ShardBytes{}.set(i, total - 3, 4).text(), i, {"the shard's index", "the shard has only 3 of them"});
    check_damaged(ShardBytes{}.set(i, total, 4).text(), i, {"the shard has only 0 of them"});
    check_damaged(ShardBytes{}.set(i, total + 1, 4).text(), i, {});
    check_damaged(ShardBytes{}.set(i, total + 1, 0).text(), i, {});
    check_damaged(ShardBytes{}.set(i, std::uint64_t{1} << 40, 4).text(), i, {});
    check_damaged(ShardBytes{}.set(i, 0, 0).text(), i, {"found 0 bytes of elements, expected 4"});
    check_damaged(ShardBytes{}.set(i, 0, 3).text(), i, {"found 3 bytes of elements, expected 4"});
    check_damaged(ShardBytes{}.set(i, 0, 5).text(), i, {"a chunk of 5 bytes; expected at most 4"});
    check_damaged(ShardBytes{}.set(i, 0, std::uint64_t{1} << 40).text(), i, {"1099511627776 bytes"});
  }
}

TEST_CASE("a damaged inner chunk is an error of it alone, with the codec that found it (CODEC-SHARD-17)") {
  test::Sharding sharding{"[2, 2]"};
  sharding.codecs = test::json_list(codec::Bytes{std::nullopt}, codec::Crc32c{});
  for (std::size_t i = 0; i < 4; ++i) {
    test::ShardBytes bytes{"", {}};
    for (std::size_t k = 0; k < 4; ++k) {
      auto const chunk = test::encoded(codec::Crc32c{}, test::bytes(std::string(4, "ABCD"[k])));
      bytes.entries.push_back({bytes.chunks.size(), chunk.size()});
      bytes.chunks += test::text(test::view(chunk));
    }
    auto damaged = bytes;
    damaged.chunks[i * 8 + 2] ^= 1;
    check_damaged(damaged.text(), i, {"codec crc32c: "}, sharding);
    check_damaged(test::ShardBytes{bytes}.set(i, 0, 0).text(), i, {"codec crc32c: "}, sharding);
  }
}

TEST_CASE("a shard of any length but its own is an error (CODEC-SHARD-15, CODEC-SHARD-16)") {
  auto const sound = test::ShardBytes{}.text();
  for (std::size_t length = 0; length < sound.size(); ++length) {
    CAPTURE(length);
    if (length < 68)
      check_index_damaged(sound.substr(0, length), {"key \"a/c/0/0\": ", "index", "expected 68"});
    else
      check_index_damaged(sound.substr(0, length), {"key \"a/c/0/0\": ", "index", "codec crc32c: "});
  }
}

TEST_CASE("a shard whose index is at its start is read as far as it goes (CODEC-SHARD-08, CODEC-SHARD-15)") {
  test::Sharding sharding{"[2, 2]"};
  sharding.index_location = "start";
  auto const index = test::index_bytes({{68, 4}, {72, 4}, {76, 4}, {80, 4}});
  REQUIRE(index.size() == 68);
  for (std::size_t length = 0; length < 68; ++length)
    check_index_damaged(index.substr(0, length), {"key \"a/c/0/0\": ", "index", "expected 68"}, sharding);
  for (std::size_t length = 0; length < 4; ++length)
    check_damaged(index + std::string{"AAAABBBBCCCCDDDD"}.substr(0, 12 + length), 3, {"of them"}, sharding);
}

TEST_CASE("an index with a wrong checksum is an error (CODEC-SHARD-16, CODEC-SHARD-24)") {
  auto const sound = test::ShardBytes{}.text();
  for (std::size_t i = 16; i < sound.size(); ++i) {
    CAPTURE(i);
    auto damaged = sound;
    damaged[i] ^= 0x10;
    check_index_damaged(damaged, {"key \"a/c/0/0\": the shard's index: codec crc32c: "});
    Memory const store;  // a write of part of it reads the index too
    auto const array = four_chunks(store);
    test::put(store, shard, damaged);
    auto const written = test::bytes("wxyz");
    check_refused<CodecError>(
        [&] {
          array.write(chunk_box(1), {written.data(), Strides{2, 1}});
        },
        {"key \"a/c/0/0\": the shard's index: codec crc32c: "});
  }
}

TEST_CASE(
    "an inner shard that is shorter than its index is an error of its chunks alone (CODEC-SHARD-15, CODEC-SHARD-21)") {
  test::Sharding outer{"[2, 2]"}, inner{"[1, 2]"};
  outer.codecs = inner.list();
  auto const shard_of = [](char letter) { return std::string(4, letter) + test::index_bytes({{0, 2}, {2, 2}}); };
  for (std::size_t size = 0; size < 40; ++size) {
    CAPTURE(size);
    Memory const store;
    auto const array = four_chunks(store, outer);
    test::ShardBytes bytes{"", {}};
    for (char letter : {'A', 'B', 'C', 'D'}) {
      auto const one = shard_of(letter);
      bytes.entries.push_back({bytes.chunks.size(), one.size()});
      bytes.chunks += one;
    }
    REQUIRE(bytes.entries[2].size == 40);
    test::put(store, shard, bytes.text());
    CHECK(read_all(array) == test::four_letters);
    test::put(store, shard, bytes.set(2, bytes.entries[2].offset, size).text());
    for (std::size_t i : {0u, 1u, 3u}) CHECK(read_text(array, chunk_box(i)) == std::string(4, "ABCD"[i]));
    for (std::uint64_t row : {2u, 3u}) try {
        read_text(array, Box{{row, row + 1}, {0, 2}}.resolve({4, 4}));
        FAIL_CHECK("nothing was thrown");
      } catch (CodecError const& error) {
        std::string const line = error.what();
        CAPTURE(line);
        CHECK(error.key() == shard);
        CHECK(error.inner_chunk() == to_string(Extents{row, 0}));
        CHECK(line.find("index") != line.npos);
      }
  }
}

namespace {

template <class F>
void end_or_blame_shard(F&& f) {
  try {
    f();
  } catch (CodecError const& error) {
    CHECK(error.key() == shard);
  } catch (StoreError const& error) {
    CHECK(error.key() == shard);
  }
}

/// For any bytes, a read ends, perhaps with an error that names the key. Most useful under sanitizers.
template <class Array>
void read_any_bytes(Array const& array, std::string const& value) {
  test::put(array.store(), shard, value);
  for (std::size_t i = 0; i < 4; ++i) end_or_blame_shard([&] { read_text(array, chunk_box(i)); });
  end_or_blame_shard([&] { read_all(array); });
}

/// The elements written are there, or none are.
template <class Array>
void write_any_bytes(Array const& array, std::string const& value) {
  for (std::size_t i = 0; i < 4; ++i) {
    test::put(array.store(), shard, value);
    end_or_blame_shard([&] {
      auto const written = test::bytes("wxyz");
      array.write(chunk_box(i), {written.data(), Strides{2, 1}});
      auto const again = read_text(array, chunk_box(i));
      CHECK(again == "wxyz");
    });
  }
}

}  // namespace

TEST_CASE(
    "whatever byte of a shard is wrong, nothing ends but the call (CODEC-SHARD-14, CODEC-SHARD-16, CODEC-SHARD-17)") {
  auto const plain = R"([{"name": "bytes", "configuration": {"endian": "little"}}])";
  test::Sharding summed{"[2, 2]"}, compressed{"[2, 2]"}, bare{"[2, 2]"}, inner{"[1, 2]"}, nested{"[2, 2]"};
  compressed.codecs = test::json_list(codec::Bytes{std::nullopt}, codec::Zstd{1, false});
  compressed.index_codecs = bare.index_codecs = inner.index_codecs = nested.index_codecs = plain;
  bare.index_location = nested.index_location = "start";
  nested.codecs = inner.list();
  for (auto const& sharding : {summed, compressed, bare, nested}) {
    CAPTURE(sharding.json());
    test::TemporaryFolder const folder;
    auto const memory = four_chunks(Memory{}, sharding);
    auto const copying = four_chunks(Copying{}, sharding);
    auto const files = four_chunks(LocalStore<HostBuffer>{folder / "root"}, sharding);
    auto const elements = test::bytes(test::four_letters);
    memory.write(Box{all}.resolve({4, 4}), {elements.data(), Strides{4, 1}});
    auto const sound = test::value(memory.store(), shard);
    for (std::size_t i = 0; i < sound.size(); ++i)
      for (int flip : {0x01, 0x04, 0x80, 0xff}) {
        CAPTURE(i);
        auto damaged = sound;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        read_any_bytes(memory, damaged);
        read_any_bytes(copying, damaged);
        write_any_bytes(memory, damaged);
        write_any_bytes(copying, damaged);
        if (flip == 0xff && sharding.json() == bare.json()) read_any_bytes(files, damaged);
      }
  }
}
