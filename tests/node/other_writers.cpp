// Documents and chunks of other programs: values as these programs read them.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <support/bytes.hpp>
#include <support/document.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/node/convert_node.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::check_refused;

namespace other_writers_tests {
namespace {

using Memory = MemoryStore<HostBuffer>;
using Ints = std::vector<std::int32_t>;

constexpr char const* little = R"({"name": "bytes", "configuration": {"endian": "little"}})";
constexpr char const* raw = "01000000020000000300000004000000";  // 1, 2, 3, 4

void put_hex(Memory const& store, std::string const& key, std::string const& hex) {
  auto const bytes = test::hex(hex);
  test::put(store, key, {reinterpret_cast<char const*>(bytes.data()), bytes.size()});
}
Ints four_of(Memory const& store) {
  auto const read = open_array<std::int32_t, 1, AllCodecs>(store, "a").read(all);
  return {read(0), read(1), read(2), read(3)};
}
test::Document ints() {
  return test::array_document().set("data_type", "\"int32\"").set("chunk_grid", test::grid("[4]"));
}
Memory v3(test::Document const& document, std::string const& chunk) {
  Memory const store;
  test::put(store, "a/zarr.json", document.text());
  put_hex(store, "a/c/0", chunk);
  return store;
}
Memory v3_behind(std::string const& codec, std::string const& chunk) {
  return v3(ints().set("codecs", std::string{"["} + little + ", " + codec + "]"), chunk);
}
Memory v2(std::string const& compressor, std::string const& chunk, std::string const& type = "<i4",
          std::string const& filters = "null", std::string const& format = "2") {
  Memory const store;
  test::put(store, "a/.zarray",
            R"({"zarr_format": )" + format + R"(, "shape": [4], "chunks": [4], "dtype": ")" + type +
                R"(", "fill_value": 0, "order": "C", "filters": )" + filters + R"(, "compressor": )" + compressor +
                "}");
  put_hex(store, "a/0", chunk);
  return store;
}

}  // namespace

TEST_CASE("numcodecs in v3: zstd, blosc, gzip and crc32c have the members and defaults of numcodecs") {
  auto const zstd = "28b52ffd201081000001000000020000000300000004000000";
  for (auto const* members : {"{\"level\": 3}", "{}", "{\"level\": 30, \"checksum\": false}"})
    CHECK(four_of(v3_behind(R"({"name": "numcodecs.zstd", "configuration": )" + std::string{members} + "}", zstd)) ==
          Ints{1, 2, 3, 4});
  auto const gzip = "1f8b08005c46096b04ff63646060600262662066016200efd405af10000000";
  for (auto const* members : {"{}", "{\"level\": -1}", "{\"level\": \"9\"}"})
    CHECK(four_of(v3_behind(R"({"name": "numcodecs.gzip", "configuration": )" + std::string{members} + "}", gzip)) ==
          Ints{1, 2, 3, 4});
  auto const blosc = "0201930410000000100000002000000001000000020000000300000004000000";
  for (auto const* members :
       {"{}", R"({"cname": "zstd"})", R"({"cname": "zstd", "clevel": 5, "shuffle": 1, "blocksize": 0})",
        R"({"shuffle": -1, "typesize": 4})", R"({"shuffle": 2, "typesize": null})"})
    CHECK(four_of(v3_behind(R"({"name": "numcodecs.blosc", "configuration": )" + std::string{members} + "}", blosc)) ==
          Ints{1, 2, 3, 4});
  CHECK(four_of(v3_behind(R"({"name": "numcodecs.crc32c", "configuration": {"location": "end"}})",
                          std::string{raw} + "ee89f972")) == Ints{1, 2, 3, 4});
  check_refused<MetadataError>(
      [] { four_of(v3_behind(R"({"name": "numcodecs.blosc", "configuration": {"shuffle": 3}})", raw)); },
      {"key \"a/zarr.json\"", "codec numcodecs.blosc", "member configuration.shuffle: found 3"});
}

TEST_CASE("what numcodecs has in v3 is written too, under the names of v3") {
  Memory const store;
  for (std::string const codec : {"gzip", "zstd", "blosc"}) {
    CAPTURE(codec);
    auto const named = R"({"name": "numcodecs.)" + codec + R"(", "configuration": {}})";
    auto const metadata =
        test::array_metadata(ints().set("codecs", std::string{"["} + little + ", " + named + "]").text());
    create_any<AllCodecs>(store, codec, metadata, {}, Queue<space::Host>{});
    auto const array = open_array<std::int32_t, 1, AllCodecs>(store, codec);
    array.write(all, Ints{5, 6, 7, 8});
    CHECK(open_array<std::int32_t, 1, AllCodecs>(store, codec).read(all)(3) == 8);
    CHECK(array.metadata().codecs[1].name == codec);
  }
  using P = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  auto const zstd = R"({"name": "numcodecs.zstd", "configuration": {}})";
  auto const fixed = v3_behind(zstd, "28b52ffd201081000001000000020000000300000004000000");
  CHECK(open_array<std::int32_t, 1, P>(fixed, "a").read(all)(3) == 4);
}

TEST_CASE("names of zarrs, with its prefixes and without") {
  struct {
    char const *name, *members, *chunk;
  } const cases[] = {
      {"bz2", R"({"level": 1})", "425a68313141592653591a9f8d5a00000640007c0020002183419a02e049f1772453850901a9f8d5a0"},
      {"zlib", R"({"level": 1})", "7801636460606002626620660162000060000b"},
      {"shuffle", R"({"elementsize": 4})", "01020304000000000000000000000000"},
      {"fletcher32", "{}", "01000000020000000300000004000000000a0028"},
      {"crc32c", "{}", "01000000020000000300000004000000ee89f972"}};
  for (auto const& one : cases)
    for (std::string const prefix : {"", "zarrs.", "numcodecs.", "https://codec.zarrs.dev/bytes_to_bytes/"}) {
      auto const name = prefix + one.name;
      CAPTURE(name);
      CHECK(four_of(v3_behind(R"({"name": ")" + name + R"(", "configuration": )" + one.members + "}", one.chunk)) ==
            Ints{1, 2, 3, 4});
    }
  CHECK(four_of(v3(ints().set("codecs", R"([{"name": "endian", "configuration": {"endian": "little"}}])"), raw)) ==
        Ints{1, 2, 3, 4});
}

TEST_CASE("one codec has one name in common, whichever of them a document or a program says") {
  for (auto const* one : {"squeeze", "zarrs.squeeze", "https://codec.zarrs.dev/array_to_array/squeeze"})
    for (auto const* other : {"squeeze", "zarrs.squeeze", "https://codec.zarrs.dev/array_to_array/squeeze"})
      CHECK(detail::means(one, other));
  for (auto const* name : {"pcodec", "numcodecs.pcodec", "https://codec.zarrs.dev/array_to_bytes/pcodec"})
    CHECK(detail::usual_name(name) == "numcodecs.pcodec");
  CHECK(detail::means("https://codec.zarrs.dev/array_to_bytes/vlen_v2", "zarrs.vlen_v2"));
  CHECK(detail::means("https://codec.zarrs.dev/array_to_bytes/vlen_utf8", "vlen-utf8"));
  CHECK_FALSE(detail::means("zarrs.vlen", "zarrs.vlen_v2"));
  CHECK_FALSE(detail::means("packbits", "numcodecs.packbits"));  // these are two
}

TEST_CASE("a member of a codec that tessera does not know is not supported, and not wrong") {
  auto const unsupported = [](Memory const& store) {
    try {
      four_of(store);
    } catch (MetadataError const& error) {
      return error.unsupported();
    }
    return std::string{"it was read"};
  };
  auto const gzip = "1f8b08005c46096b04ff63646060600262662066016200efd405af10000000";
  CHECK(unsupported(v3_behind(R"({"name": "gzip", "configuration": {"level": 1, "fast": true}})", gzip)) ==
        R"(codec "gzip" with member "fast")");
  CHECK(unsupported(v3_behind(R"({"name": "numcodecs.gzip", "configuration": {"fast": true}})", gzip)) ==
        R"(codec "numcodecs.gzip" with member "fast")");
  CHECK(unsupported(v3_behind(R"({"name": "gzip", "options": {}, "configuration": {"level": 1}})", gzip)) ==
        R"(member "options")");
  CHECK(unsupported(v2(R"({"id": "bz2", "level": 1, "fast": true})", gzip)) == R"(codec "bz2" with member "fast")");
}

TEST_CASE("blosc of GDAL says bits, bytes and nothing in words, and its lzma names a filter") {
  auto const none = "0201320410000000100000002000000001000000020000000300000004000000";
  for (auto const* shuffle : {"\"BIT\"", "\"NONE\"", "\"BYTE\"", "2", "0"})
    CHECK(four_of(v2(R"({"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": )" + std::string{shuffle} +
                         R"(, "blocksize": 0})",
                     none)) == Ints{1, 2, 3, 4});
  check_refused<MetadataError>([&] { four_of(v2(R"({"id": "blosc", "shuffle": "SOME"})", none)); },
                               {"member compressor.shuffle: found \"SOME\""});
  // Twelve uint16, through the delta of GDAL 3.10.3.
  auto const lzma =
      "fd377a585a000000ff12d94103c11c18030100210116000064d4a83201001701ff02fe03fd04fc05fb06fa07f908f809f7"
      "0af60bf50cf40000012c18d346db0a06729e7a010000000000595a";
  Memory const store;
  test::put(store, "a/.zarray",
            R"({"zarr_format": 2, "shape": [3, 4], "chunks": [3, 4], "dtype": "<u2", "fill_value": null, "order": "C",
                "filters": null, "compressor": {"id": "lzma", "preset": 6, "delta": 1}})");
  put_hex(store, "a/0.0", lzma);
  auto const array = open_array<std::uint16_t, 2, AllCodecs>(store, "a");
  auto const read = array.read(all);
  for (std::uint16_t i = 0; i < 12; ++i) CHECK(read(i / 4, i % 4) == i + 1);
  array.write(all, std::vector<std::uint16_t>(12, 7));
  CHECK(array.read(all)(2, 3) == 7);
}

TEST_CASE("arrays of GDAL 3.10 in v3 are little-endian where they do not say it") {
  auto const of_gdal = [](std::string const& codecs, std::string const& chunk) {
    auto document = test::array_document().set("data_type", "\"uint16\"").set("shape", "[3, 4]");
    document.set("chunk_grid", test::grid("[3, 4]")).set("fill_value", "null").set("dimension_names", R"(["Y", "X"])");
    codecs.empty() ? document.remove("codecs") : document.set("codecs", codecs);
    Memory const store;
    test::put(store, "a/zarr.json", document.text());
    if (!chunk.empty()) put_hex(store, "a/c/0/0", chunk);
    return store;
  };
  auto const check = [](Memory const& store, std::uint16_t factor = 1) {
    auto const read = open_array<std::uint16_t, 2, AllCodecs>(store, "a").read(all);
    for (std::uint16_t i = 0; i < 12; ++i) CHECK(read(i / 4, i % 4) == factor * (i + 1));
  };
  check(of_gdal("", "0100020003000400050006000700080009000a000b000c00"));
  check(of_gdal(R"([{"name": "gzip", "configuration": {"level": 6}}])",
                "1f8b08000000000000ff011800e7ff0100020003000400050006000700080009000a000b000c00d033018818000000"));
  check(of_gdal(R"([{"name": "transpose", "configuration": {"order": "F"}}])",
                "010005000900020006000a00030007000b00040008000c00"));
  check(
      of_gdal(R"([{"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 2,
                  "blocksize": 0}}])",
              "020133021800000018000000280000000100020003000400050006000700080009000a000b000c00"));
  check(of_gdal("", ""), 0);  // not a chunk
  check(of_gdal(R"([{"name": "endian", "configuration": {"endian": "big"}}])",
                "000100020003000400050006000700080009000a000b000c"));
}

TEST_CASE("a byte order mark, a format in quotes, and null for what is not said are read") {
  for (std::string const mark : {"", "\xef\xbb\xbf"}) {
    Memory const store;
    test::put(store, "a/zarr.json",
              mark + ints().set("codecs", std::string{"["} + little + "]").set("zarr_format", "\"3\"").text());
    put_hex(store, "a/c/0", raw);
    CHECK(four_of(store) == Ints{1, 2, 3, 4});
  }
  CHECK(four_of(v2("null", raw, "<i4", "null", "\"2\"")) == Ints{1, 2, 3, 4});
  check_refused<MetadataError>([] { four_of(v2("null", raw, "<i4", "null", "\"3\"")); },
                               {"a/.zarray", "member zarr_format: found \"3\", expected 2"});
  auto document = ints().set("codecs", std::string{"["} + little + "]");
  CHECK(four_of(v3(document.set("dimension_names", "null").set("consolidated_metadata", "null"), raw)) ==
        Ints{1, 2, 3, 4});
  CHECK(four_of(v3(document.set("fill_value", "1.0"), raw)) == Ints{1, 2, 3, 4});
  Memory const store;
  test::put(store, "zarr.json", std::string_view{"\xff\xfe{\0}\0", 6});
  check_refused<MetadataError>([&] { open_group(store); }, {"key \"zarr.json\"", "UTF-16"});
}

TEST_CASE("attributes of Zarr v2 that are broken hide no element, and are an error to those who ask for them") {
  for (std::string const broken : {"{", "[1]", "\xff\xfe{"}) {
    CAPTURE(broken);
    auto const store = v2("null", raw);
    test::put(store, "a/.zattrs", broken);
    CHECK(four_of(store) == Ints{1, 2, 3, 4});
    auto const array = open_array<std::int32_t, 1, AllCodecs>(store, "a");
    check_refused<MetadataError>([&] { (void)array.attributes(); }, {"key \"a/.zattrs\""});
    check_refused<MetadataError>([&] { (void)get_attributes(store, "a"); }, {"key \"a/.zattrs\""});
    check_refused<MetadataError>([&] { merge_attributes(store, "a", {{"x", 1}}); }, {"key \"a/.zattrs\""});
    check_refused<MetadataError>([&] { convert_node(store, "a", ZarrFormat::v3); }, {".zattrs"});
    CHECK(test::value(store, "a/.zattrs") == broken);
    set_attributes(store, "a", {{"x", 1}});
    CHECK(open_any<AllCodecs>(store, "a").attributes() == Members{{"x", 1}});
    test::put(store, "g/.zgroup", R"({"zarr_format": 2})");
    test::put(store, "g/.zattrs", broken);
    auto group = open_group(store, "g");
    check_refused<MetadataError>([&] { (void)group.attributes(); }, {"key \"g/.zattrs\""});
    group.set_attributes({{"y", 2}});
    CHECK(group.attributes() == Members{{"y", 2}});
  }
}

}  // namespace other_writers_tests
