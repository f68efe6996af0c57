// The golden cases of tests/data/golden_cases.json that are in scope, each a test named after it. Every expected value
// occurs in the case's own text. Cases of later work are in tests/conformance/statements.txt.
#include <complex>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/codec_run.hpp>
#include <support/document.hpp>
#include <support/refused.hpp>
#include <support/sharded.hpp>
#include <support/store_conformance.hpp>
#include <support/written_array.hpp>
#include <tessera/array/strings.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::array_document;
using Memory = MemoryStore<HostBuffer>;

namespace {

class Golden {
 public:
  explicit Golden(std::string const& id) {
    std::ifstream file{"tests/data/golden_cases.json"};
    auto const cases = parse_json(std::string{std::istreambuf_iterator<char>{file}, {}});
    for (auto const& one : *cases.get_if<List>()) {
      ObjectReader reader{one, id};
      if (reader.at("id").string() == id) text_ = reader.at("given").string() + " -> " + reader.at("expect").string();
    }
    REQUIRE_FALSE(text_.empty());
  }
  /// The words, which must occur in the case.
  std::string says(std::string const& words) const {
    CAPTURE(words);
    CHECK(text_.find(words) != text_.npos);
    return words;
  }
  test::Bytes hex(std::string const& digits) const { return test::hex(says(digits)); }
  std::uint64_t number(std::string const& digits) const { return std::stoull(says(digits), nullptr, 16); }

 private:
  std::string text_;
};

std::string stored(Memory const& store, std::string const& key) {
  return test::digits(test::view(test::bytes(test::value(store, key))));
}

// The stored bytes of one element of the fill value.
std::string stored_fill(std::string const& type, std::string const& fill, std::string const& endian = "little") {
  Memory const store;
  auto document = array_document().set("shape", "[1]").set("chunk_grid", test::grid("[1]"));
  document.set("data_type", '"' + type + '"').set("fill_value", fill);
  document.set("codecs", R"([{"name": "bytes", "configuration": {"endian": ")" + endian + "\"}}]");
  test::put(store, "a/zarr.json", document.text());
  auto const array = open_any(store, "a");
  Box const whole{all};
  auto const region = whole.resolve(array.shape());
  test::Bytes element(array.type().size);
  array.read(region, {element.data(), Strides{0}});
  array.write(region, {element.data(), Strides{0}}, {.store_fill_chunks = true});
  return stored(store, "a/c/0");
}
void refuse_fill(std::string const& type, std::string const& fill) {
  CAPTURE(fill);
  test::check_refused<MetadataError>([&] { stored_fill(type, fill); },
                                     {"a/zarr.json", "member fill_value", "expected"});
}

void open_with(std::string const& type, std::string const& codecs) {
  Memory const store;
  test::put(store, "a/zarr.json", array_document().set("data_type", '"' + type + '"').set("codecs", codecs).text());
  open_any<AllCodecs>(store, "a");
}

// The array is written in exactly these shards, and read from them.
void check_shards(test::Document const& document, test::Bytes const& elements,
                  std::map<std::string, std::string> const& shards) {
  Memory const written, given;
  auto const array = create_any<AllCodecs>(written, "", test::array_metadata(document.text()));
  auto const region = Box{all}.resolve(array.shape());
  array.write(region, {elements.data(), Layout::c_order(region.count, array.type().size).strides});
  test::put(given, "zarr.json", document.text());
  for (auto const& expected : shards) {
    auto const& shard = expected.first;
    auto const& digits = expected.second;
    CAPTURE(shard);
    CHECK(stored(written, shard) == digits);
    test::put(given, shard, test::text(test::view(test::hex(digits))));
  }
  CHECK(test::listed(written, "").size() == shards.size() + 1);
  CHECK(test::read_bytes(open_any<AllCodecs>(given), region) == elements);
}

std::string key(bool v2, char separator, Extents const& chunk, std::string path = "") {
  ChunkKeyEncoding{v2, separator}.append(path, chunk);
  return path;
}

}  // namespace

TEST_CASE("golden: chunk keys without dimensions (G-01, KEY-02, KEY-03)") {
  Golden const g{"G-01"};
  CHECK('"' + key(false, '/', {}) + '"' == g.says("\"c\""));
  CHECK('"' + key(false, '.', {}) + '"' == g.says("\"c\""));
  CHECK('"' + key(true, '.', {}) + '"' == g.says("\"0\""));
  CHECK('"' + key(true, '/', {}) + '"' == g.says("\"0\""));
}

TEST_CASE("golden: chunk keys in three dimensions (G-02, KEY-01, KEY-02, KEY-06, KEY-07)") {
  Golden const g{"G-02"};
  Extents const chunk{1, 23, 45};
  CHECK(key(false, '/', chunk, "foo/baz/") == g.says("foo/baz/c/1/23/45"));
  CHECK(key(false, '.', chunk, "foo/baz/") == g.says("foo/baz/c.1.23.45"));
  CHECK(key(true, '.', chunk, "foo/baz/") == g.says("foo/baz/1.23.45"));
  CHECK(key(true, '/', chunk, "foo/baz/") == g.says("foo/baz/1/23/45"));
}

TEST_CASE("golden: CRC-32C (G-03, CODEC-CRC32C-01, CODEC-CRC32C-02)") {
  Golden const g{"G-03"};
  auto const sum = [](test::Bytes const& bytes) { return crc32c(test::view(bytes)); };
  test::Bytes counted(32);
  for (std::size_t i = 0; i < 32; ++i) counted[i] = static_cast<std::byte>(i);
  CHECK(sum(test::bytes("123456789")) == g.number("e3069283"));
  CHECK(sum(test::Bytes(32)) == g.number("8a9136aa"));
  CHECK(sum(test::Bytes(32, std::byte{0xff})) == g.number("62a8ab43"));
  CHECK(sum(counted) == g.number("46dd794e"));
  CHECK(sum({}) == g.number("00000000"));
  CHECK(test::encoded(codec::Crc32c{}, test::bytes("123456789")) == g.hex("313233343536373839839206e3"));
  CHECK(test::encoded(codec::Crc32c{}, {}) == g.hex("00000000"));
}

TEST_CASE("golden: crc32c after bytes (G-04, CODEC-CHAIN-02, CODEC-CRC32C-03)") {
  Golden const g{"G-04"};
  Memory const store;
  using P = Pipeline<space::Host, codec::Bytes, codec::Crc32c>;
  NewArray<std::uint8_t> const wanted{.shape = {3}, .chunks = {3}};
  auto const array = create_array<std::uint8_t, 1>(store, "a", wanted, P{});
  array.write(all, std::vector<std::uint8_t>{1, 2, 3});
  CHECK(stored(store, "a/c/0") == g.says("0102031ef230f1"));
  std::vector<std::uint8_t> elements(3);
  array.read(all, elements);
  CHECK(elements == std::vector<std::uint8_t>{1, 2, 3});
}

TEST_CASE("golden: crc32c covers big-endian bytes (G-05, CODEC-CRC32C-01, CODEC-CRC32C-03)") {
  Golden const g{"G-05"};
  Memory const store;
  using P = Pipeline<space::Host, codec::Bytes, codec::Crc32c>;
  NewArray<std::uint16_t> const wanted{.shape = {2}, .chunks = {2}};
  auto const array =
      create_array<std::uint16_t, 1>(store, "a", wanted, P{codec::Bytes{std::endian::big}, codec::Crc32c{}});
  array.write(all, std::vector<std::uint16_t>{1, 258});
  CHECK(stored(store, "a/c/0") == g.says("000101023931bf1f"));
  std::vector<std::uint16_t> elements(2);
  array.read(all, elements);
  CHECK(elements == std::vector<std::uint16_t>{1, 258});
}

TEST_CASE(
    "golden: a shard with a missing chunk, its index at the end (G-06, CODEC-SHARD-01, CODEC-SHARD-06, "
    "CODEC-SHARD-09)") {
  Golden const g{"G-06"};
  g.says("uint8 [[1,2,0,0],[5,6,0,0],[9,10,11,12],[13,14,15,16]], fill 0, chunk_grid [4,4], inner [2,2]");
  auto const elements = test::memory_of<std::uint8_t>({1, 2, 0, 0, 5, 6, 0, 0, 9, 10, 11, 12, 13, 14, 15, 16});
  auto const index = g.says(
      "00000000000000000400000000000000ffffffffffffffffffffffffffffffff040000000000000004000000000000000800000000000000"
      "040000000000000033ee612e");
  CHECK(index.size() == 2 * 68);
  test::Sharding const sharding{"[2, 2]"};
  check_shards(test::sharded_document("[4, 4]", "[4, 4]", sharding.list()), elements,
               {{"c/0/0", g.says("01020506090a0d0e0b0c0f10") + index}});
}

TEST_CASE("golden: the same shard, its index at the start (G-07, CODEC-SHARD-04, CODEC-SHARD-08)") {
  Golden const g{"G-07"};
  auto const elements = test::memory_of<std::uint8_t>({1, 2, 0, 0, 5, 6, 0, 0, 9, 10, 11, 12, 13, 14, 15, 16});
  auto const index = g.says(
      "44000000000000000400000000000000ffffffffffffffffffffffffffffffff480000000000000004000000000000004c00000000000000"
      "0400000000000000eae97b44");
  test::Sharding sharding{"[2, 2]"};
  sharding.index_location = "start";
  check_shards(test::sharded_document("[4, 4]", "[4, 4]", sharding.list()), elements,
               {{"c/0/0", index + g.says("01020506090a0d0e0b0c0f10")}});
}

TEST_CASE("golden: an index where all chunks are missing (G-08, CODEC-SHARD-09, CODEC-SHARD-19, FILL-02)") {
  Golden const g{"G-08"};
  auto const check = [&](std::string const& inner, std::string const& index) {
    CAPTURE(inner);
    Memory const store;
    auto const document = test::sharded_document("[4, 4]", "[4, 4]", test::Sharding{inner}.list(), "7");
    test::put(store, "zarr.json", document.text());
    test::put(store, "c/0/0", test::text(test::view(test::hex(index))));
    auto const array = open_any<AllCodecs>(store);
    auto const region = Box{all}.resolve(array.shape());
    CHECK(test::read_bytes(array, region) == test::Bytes(16, std::byte{7}));
    g.says("a writer should rather delete the key");
    auto const one = Box{{0, 1}, all}.resolve(array.shape());
    array.write(one, {array.metadata().fill.data(), Strides{0, 0}});
    CHECK(test::value(store, "c/0/0") == "(missing)");
  };
  g.says("64xff ++ 664ecd2f");
  check("[2, 2]", std::string(128, 'f') + "664ecd2f");
  g.says("16xff ++ 104c2fef");
  check("[4, 4]", std::string(32, 'f') + "104c2fef");
}

TEST_CASE("golden: a shard at the border (G-09, CODEC-SHARD-10, CODEC-SHARD-11)") {
  Golden const g{"G-09"};
  g.says("uint8 [1,2,3,4,5], shape [5], shard [4], inner [2], fill 9");
  check_shards(test::sharded_document("[5]", "[4]", test::Sharding{"[2]"}.list(), "9"),
               test::memory_of<std::uint8_t>({1, 2, 3, 4, 5}),
               {{"c/0", g.says("01020304000000000000000002000000000000000200000000000000020000000000000004526e88")},
                {"c/1", g.says("050900000000000000000200000000000000ffffffffffffffffffffffffffffffffbd13bd56")}});
}

TEST_CASE("golden: a shard without dimensions (G-10, CODEC-SHARD-06)") {
  Golden const g{"G-10"};
  g.says("int32 scalar 42, chunk_shape [], inner []");
  test::Sharding sharding{"[]"};
  sharding.codecs = R"([{"name": "bytes", "configuration": {"endian": "little"}}])";
  auto document = test::sharded_document("[]", "[]", sharding.list()).set("data_type", "\"int32\"");
  check_shards(document, test::memory_of<std::int32_t>({42}),
               {{"c", g.says("2a0000000000000000000000040000000000000087186d63")}});
}

TEST_CASE("golden: shards in shards (G-11, CODEC-SHARD-21)") {
  Golden const g{"G-11"};
  g.says("uint8 [1,0,0,0], fill 0, shard [4] > inner shard [2] (crc32c index) > inner [1] (index without crc)");
  test::Sharding inner{"[1]"}, outer{"[2]"};
  inner.index_codecs = R"([{"name": "bytes", "configuration": {"endian": "little"}}])";
  outer.codecs = inner.list();
  check_shards(test::sharded_document("[4]", "[4]", outer.list()), test::memory_of<std::uint8_t>({1, 0, 0, 0}),
               {{"c/0", g.says("0100000000000000000100000000000000ffffffffffffffffffffffffffffffff"
                               "00000000000000002100000000000000ffffffffffffffffffffffffffffffffd95c3b93")}});
}

TEST_CASE("golden: a transpose before shards (G-12, CODEC-TRANSPOSE-05)") {
  Golden const g{"G-12"};
  g.says("uint8 [[1,2,3,4],[5,6,7,8]], codecs [transpose [1,0], sharding inner [2,2]]");
  auto const codecs = '[' + test::json(codec::Transpose{{1, 0}}) + ", " + test::Sharding{"[2, 2]"}.json() + ']';
  check_shards(test::sharded_document("[2, 4]", "[2, 4]", codecs),
               test::memory_of<std::uint8_t>({1, 2, 3, 4, 5, 6, 7, 8}),
               {{"c/0/0", g.says("01050206030704080000000000000000040000000000000004000000000000000400000000000000"
                                 "f6ff6f8f")}});
}

TEST_CASE("golden: the direction of transpose (G-13, CODEC-TRANSPOSE-02, CODEC-CHAIN-03)") {
  Golden const g{"G-13"};
  Memory const store;
  using P = Pipeline<space::Host, codec::Transpose, codec::Bytes>;
  std::vector<std::uint8_t> elements(24), again(24);
  std::iota(elements.begin(), elements.end(), std::uint8_t{0});
  NewArray<std::uint8_t> const wanted{.shape = {2, 3, 4}, .chunks = {2, 3, 4}};
  P const pipeline{codec::Transpose{{2, 0, 1}}, codec::Bytes{std::nullopt}};
  CHECK(pipeline.resolve({{2, 3, 4}, {DataKind::unsigned_integer, 1}}).chunk.shape == Extents{4, 2, 3});
  auto const array = create_array<std::uint8_t, 3>(store, "a", wanted, pipeline);
  array.write(all, elements);
  CHECK(stored(store, "a/c/0/0/0") == g.says("0004080c10140105090d111502060a0e121603070b0f1317"));
  array.read(all, again);
  CHECK(again == elements);
}

TEST_CASE("golden: border chunks are stored in full, filled (G-14, GRID-05, GRID-07)") {
  Golden const g{"G-14"};
  Memory const store;
  NewArray<std::uint8_t> const wanted{.shape = {5}, .chunks = {2}, .fill = 9};
  create_array<std::uint8_t, 1>(store, "a", wanted).write(all, std::vector<std::uint8_t>{1, 2, 3, 4, 5});
  CHECK("c/0=" + stored(store, "a/c/0") == g.says("c/0=0102"));
  CHECK("c/1=" + stored(store, "a/c/1") == g.says("c/1=0304"));
  CHECK("c/2=" + stored(store, "a/c/2") == g.says("c/2=0509"));
}

TEST_CASE("golden: a dimension of no length has no chunks (G-15, GRID-04, GRID-06)") {
  Golden const g{"G-15"};
  g.says("shape [0,3], chunk [2,3]");
  g.says("no chunk keys at all");
  Memory const store;
  NewArray<std::int32_t> const wanted{.shape = {0, 3}, .chunks = {2, 3}};
  auto const array = create_array<std::int32_t, 2>(store, "", wanted);
  array.write(all, std::vector<std::int32_t>{}, {.store_fill_chunks = true});
  std::vector<std::int32_t> elements;
  array.read(all, elements);
  auto const keys = test::listed(store, "");
  REQUIRE(keys.size() == 1);
  CHECK(keys[0].starts_with("zarr.json:"));
}

TEST_CASE("golden: float16 in hexadecimal (G-16, FILL-09)") {
  Golden const g{"G-16"};
  auto const bits = [&](std::string const& text) { return stored_fill("float16", g.says('"' + text + '"'), "big"); };
  CHECK(bits("0x3c00") == "3c00");
  CHECK(bits("0x7e00") == stored_fill("float16", g.says("\"NaN\""), "big"));
  CHECK(stored_fill("float16", "\"0x7e01\"") == g.says("017e"));
  CHECK(bits("0x7e01") == g.says("7e01"));
  CHECK(bits("0xfbff") == stored_fill("float16", g.says("-65504"), "big"));
  CHECK(bits("0x8000") == stored_fill("float16", g.says("-0.0"), "big"));
  CHECK(bits("0x3C00") == "3c00");
  refuse_fill("float16", g.says("\"0x3c0\""));
  refuse_fill("float16", g.says("\"0x00003c00\""));
}

TEST_CASE("golden: the bits of NaN (G-17, FILL-08, DTYPE-04)") {
  Golden const g{"G-17"};
  CHECK(stored_fill("float16", "\"NaN\"", "big") == g.says("7e00"));
  CHECK(stored_fill("float32", "\"NaN\"", "big") == g.says("7fc00000"));
  CHECK(stored_fill("float64", "\"NaN\"", "big") == g.says("7ff8000000000000"));
  CHECK(stored_fill("float64", "\"NaN\"") == g.says("000000000000f87f"));
}

TEST_CASE("golden: complex numbers swap by component (G-18, DTYPE-05, CODEC-BYTES-06)") {
  Golden const g{"G-18"};
  auto const fill = g.says("[\"NaN\",\"-Infinity\"]");
  CHECK(stored_fill("complex64", fill) == g.says("0000c07f000080ff"));
  CHECK(stored_fill("complex64", fill, "big") == g.says("7fc00000ff800000"));
  CHECK(stored_fill("complex_float32", fill) == g.says("0000c07f000080ff"));
}

TEST_CASE("golden: float32 rounds to even from the decimal text (G-19, FILL-05)") {
  Golden const g{"G-19"};
  auto const bits = [&](std::string const& text) { return "0x" + stored_fill("float32", g.says(text), "big"); };
  CHECK(bits("16777217") == g.says("0x4b800000"));
  CHECK(bits("16777219") == g.says("0x4b800002"));
  CHECK(bits("0.1") == g.says("0x3dcccccd"));
  CHECK(bits("1.00000005960464477539062500000001") == g.says("0x3f800001"));
}

TEST_CASE("golden: float16 rounds to even, and to infinity (G-20, FILL-05, FILL-06)") {
  Golden const g{"G-20"};
  auto const bits = [&](std::string const& text) { return "0x" + stored_fill("float16", g.says(text), "big"); };
  CHECK(bits("2049") == g.says("0x6800"));
  CHECK(bits("2051") == g.says("0x6802"));
  CHECK(bits("65519") == g.says("0x7bff"));
  CHECK(bits("65520") == g.says("0x7c00"));
  CHECK(bits("2.980232238769531e-08") == g.says("0x0000"));
}

TEST_CASE("golden: integers of 64 bits, and what is none (G-21, FILL-03, FILL-04, META-05)") {
  Golden const g{"G-21"};
  CHECK(stored_fill("uint64", g.says("18446744073709551615")) == g.says("ffffffffffffffff"));
  CHECK(stored_fill("int64", g.says("-9223372036854775808")) == g.says("0000000000000080"));
  refuse_fill("int8", g.says("128"));
  for (auto const* whole : {"1.0", "1e0"}) CHECK(stored_fill("int8", g.says(whole)) == g.says("01"));
}

TEST_CASE("golden: bool (G-22, DTYPE-01, CODEC-BYTES-07)") {
  Golden const g{"G-22"};
  CHECK(stored_fill("bool", g.says("true")) == g.says("01"));
  refuse_fill("bool", "1");
  Memory const store;
  auto document = array_document().set("data_type", "\"bool\"").set("fill_value", "false");
  test::put(store, "a/zarr.json", document.text());
  g.says("stored byte 02");
  test::put(store, "a/c/0", std::string{"\x02\x00", 2});
  std::vector<char> elements(4);
  test::check_refused<CodecError>(
      [&] {
        open_any(store, "a").read(Box{all}.resolve({4}), {reinterpret_cast<std::byte*>(elements.data()), Strides{1}});
      },
      {"key \"a/c/0\"", "found an element 2", "expected 0 or 1"});
}

TEST_CASE("golden: raw bits have no byte order (G-23, DTYPE-06, FILL-12)") {
  Golden const g{"G-23"};
  g.says("element bytes 12 34 for either endian setting");
  for (auto const& fill : {g.says("[18,52]"), g.says("\"EjQ=\"")})
    for (auto* endian : {"little", "big"}) CHECK(stored_fill("r16", fill, endian) == "1234");
}

TEST_CASE("golden: strings, each behind its length (G-27, CODEC-VLEN-02)") {
  Golden const g{"G-27"};
  g.says(R"(["a","","é"])");
  std::vector<std::string> const strings{"a", "", "\u00e9"};
  Memory const store;
  auto const array = create_array<std::string, 1>(store, "a", {.shape = {3}, .chunks = {3}});
  array.write(all, strings);
  CHECK(stored(store, "a/c/0") == g.says("0300000001000000610000000002000000c3a9"));
  auto const read = array.read(all);
  CHECK(std::vector(read.begin(), read.end()) == strings);
}

TEST_CASE("golden: bytes, each behind its length (G-28, CODEC-VLEN-02)") {
  Golden const g{"G-28"};
  g.says(R"([b"ab",b""])");
  Memory const store;
  using Blob = std::vector<std::byte>;
  auto const array = create_array<Blob, 1>(store, "a", {.shape = {2}, .chunks = {2}});
  array.write({{0, 1}}, std::vector<Blob>{test::bytes("ab")});
  CHECK(test::hex(stored(store, "a/c/0")) == g.hex("02000000 02000000 6162 00000000"));
}

TEST_CASE("golden: bytes as a fill value, in base64 or as numbers (G-29, DTYPE-18, FILL-13)") {
  Golden const g{"G-29"};
  for (auto const& fill : {g.says("\"AQID\""), g.says("[1,2,3]")}) {
    auto const value = parse_json(fill);
    CHECK(read_fill_value({value, "fill_value"}, bytes_type) == g.hex("01 02 03"));
    CHECK(write_fill_value(test::hex("010203"), bytes_type) == Value{"AQID"});
  }
}

TEST_CASE("golden: a gzip member (G-33, CODEC-GZIP-02)") {
  Golden const g{"G-33"};
  auto const member = g.hex("1f8b080000000000040363646206001d80bc5503000000");
  CHECK(test::decoded(codec::Gzip{}, member, 3) == g.hex("010203"));
}

TEST_CASE("golden: zstd frames with and without a checksum (G-34, CODEC-ZSTD-03)") {
  Golden const g{"G-34"};
  auto const content = g.says("0001020304050607");
  auto const plain = test::hex(g.says("28b52ffd2008410000 " + content));
  auto const summed = test::hex(g.says("28b52ffd2408410000 " + content + " 8d1bb814"));
  for (bool configured : {false, true}) {
    codec::Zstd const zstd{1, configured};
    CHECK(test::decoded(zstd, plain, 8) == test::hex(content));
    CHECK(test::decoded(zstd, summed, 8) == test::hex(content));
    auto damaged = summed;
    damaged.back() ^= std::byte{1};
    test::check_refused<CodecError>([&] { test::decoded(zstd, damaged, 8); }, {"21 bytes", "checksum"});
  }
  CHECK(test::encoded(codec::Zstd{1, true}, test::hex(content)) == summed);
}

TEST_CASE("golden: blosc buffers (G-35, CODEC-BLOSC-06)") {
  Golden const g{"G-35"};
  auto const zeros = g.hex("02013108000200000002000024000000140000000c0000001f000100ffe8500000000000");
  CHECK(test::decoded(codec::Blosc{}, zeros, 512) == test::Bytes(512));
  auto const plain = g.hex("0201330410000000100000002000000000000000010000000200000003000000");
  CHECK(test::decoded(codec::Blosc{}, plain, 16) == test::memory_of<std::uint32_t>({0, 1, 2, 3}));
}

TEST_CASE("golden: where crc32c stands (G-38, CODEC-CRC32C-01)") {
  Golden const g{"G-38"};
  CHECK(test::encoded(codec::Crc32c{}, test::bytes("123456789")) == g.hex("313233343536373839839206e3"));
}

TEST_CASE("golden: members that nobody knows (G-49, META-18, META-19, META-20, GROUP-09)") {
  Golden const g{"G-49"};
  for (auto* member : {"1", "{}", "{\"must_understand\":true}", "{\"must_understand\":\"false\"}"}) {
    g.says("\"x\":" + std::string{member});
    auto const document = array_document().set("x", member).text();
    test::check_refused<MetadataError>([&] { test::array_metadata(document); }, {"member x is unknown"});
  }
  g.says("ignore (and preserve)");
  std::string const kept = R"({"must_understand": false, "name": "y", "n": 1.50})";
  auto const array = test::array_metadata(array_document().set("x", kept).text());
  CHECK(to_json(to_value(array)).find("\"n\": 1.50") != std::string::npos);
  g.says("group \"consolidated_metadata\":null");
  auto const value = parse_json(R"({"zarr_format": 3, "node_type": "group", "consolidated_metadata": null})");
  ObjectReader reader{value, ""};
  (void)reader.at("zarr_format");
  auto const group = read_group_metadata(reader);
  CHECK(to_json(to_value(group)).find("consolidated") == std::string::npos);
}

TEST_CASE("golden: chains that are none (G-50, CODEC-CHAIN-01, CODEC-BYTES-02, CODEC-BYTES-04)") {
  Golden const g{"G-50"};
  g.says(
      "[] ; [crc32c] ; [bytes,bytes] ; [bytes,transpose] ; [gzip,bytes] ; [bytes(no endian)] on int16 ; same on uint8");
  for (auto* codecs : {"[]", R"(["crc32c"])", R"(["bytes", "bytes"])",
                       R"(["bytes", {"name": "transpose", "configuration": {"order": [0]}}])",
                       R"([{"name": "gzip", "configuration": {"level": 1}}, "bytes"])"}) {
    CAPTURE(std::string{codecs});
    test::check_refused<MetadataError>([&] { open_with("uint8", codecs); }, {"key \"a/zarr.json\"", "member codecs"});
  }
  test::check_refused<MetadataError>([&] { open_with("int16", R"(["bytes"])"); },
                                     {"codec bytes", "configuration.endian is missing"});
  CHECK_NOTHROW(open_with("uint8", R"(["bytes"])"));
}

TEST_CASE("golden: chunks of Zarr v2 in order F, and what a filter sees of them (G-40, G-41, V2-25)") {
  auto const written = [](std::string const& dtype, std::string const& filters, auto const& elements) {
    using T = typename std::remove_cvref_t<decltype(elements)>::value_type;
    Memory const store;
    test::put(store, "a/.zarray", R"({"zarr_format": 2, "shape": [2, 3], "chunks": [2, 3], "compressor": null,
        "fill_value": 0, "order": "F", "dtype": ")" + dtype + R"(", "filters": )" + filters + "}");
    auto const array = open_array<T, 2, AllCodecs>(store, "a");
    array.write(all, elements);
    auto const read = array.read(all);
    CHECK(std::vector(read.elements().begin(), read.elements().end()) == elements);
    return stored(store, "a/0.0");
  };
  Golden const order{"G-40"}, filter{"G-41"};
  CHECK(written("<u2", "null", std::vector<std::uint16_t>{0, 1, 2, 3, 4, 5}) == order.says("000003000100040002000500"));
  CHECK(written("|u1", R"([{"id": "delta", "dtype": "|u1"}])", std::vector<std::uint8_t>{1, 2, 4, 8, 16, 32}) ==
        filter.says("0107fa0ef41c"));
}
