// Documents of Zarr v2 in terms of v3: each member, its values in real files, and refusals by name.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/bytes.hpp>
#include <support/document.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/metadata/detail/base64.hpp>
#include <tessera/metadata/detail/document.hpp>
#include <tessera/metadata/detail/expected_element.hpp>
#include <tessera/metadata/detail/floating_fill.hpp>
#include <tessera/metadata/detail/new_documents.hpp>
#include <tessera/metadata/detail/v2_fill.hpp>
#include <tessera/metadata/detail/v2_raise.hpp>
#include <tessera/metadata/documents.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;
using test::check_refused;
using test::Document;

namespace v2_array_tests {
namespace {

using Memory = MemoryStore<HostBuffer>;

Document zarray() {
  Document document;
  document.set("zarr_format", "2").set("shape", "[4, 6]").set("chunks", "[2, 3]").set("dtype", "\"<i4\"");
  document.set("compressor", "null").set("fill_value", "0").set("order", "\"C\"");
  return document.set("filters", "null");
}

ArrayMetadata read(Document const& document, std::string const& attributes = "") {
  Memory const store;
  test::put(store, "a/.zarray", document.text());
  if (!attributes.empty()) test::put(store, "a/.zattrs", attributes);
  return *read_document(store, "a", read_array_metadata);
}
ArrayMetadata with(char const* member, std::string const& json) { return read(zarray().set(member, json)); }
std::string codecs_of(ArrayMetadata const& array) {
  List list;
  for (auto const& codec : array.codecs) list.push_back(to_value(codec));
  return to_json(list);
}
std::string same(std::string const& json) { return to_json(parse_json(json)); }

void refuse(char const* member, std::string const& json, std::initializer_list<char const*> words) {
  CAPTURE(std::string{member});
  CAPTURE(json);
  check_refused<MetadataError>([&] { with(member, json); }, words);
  check_refused<MetadataError>([&] { with(member, json); }, {"key \"a/.zarray\""});
}

template <class T>
std::vector<std::byte> bytes(T value) {
  return detail::bytes_of(value);
}

}  // namespace

TEST_CASE("an array of Zarr v2 is one of v3 (V2-01, V2-28, V2-29, V2-40)") {
  auto const array = read(zarray());
  CHECK(array.format == ZarrFormat::v2);
  CHECK(array.shape == Extents{4, 6});
  CHECK(array.chunk_shape == Extents{2, 3});
  CHECK(array.type == DataType{DataKind::signed_integer, 4});
  CHECK(array.fill == bytes(0));
  CHECK(codecs_of(array) == same(R"([{"name": "bytes", "configuration": {"endian": "little"}}])"));
  CHECK((array.key_encoding.v2 && array.key_encoding.separator == '.'));
  CHECK(array.attributes.empty());
  for (auto* format : {"3", "\"3\"", "\"2.0\"", "1", "2.0"})
    refuse("zarr_format", format, {"member zarr_format", "expected 2"});
  auto const scalar = read(zarray().set("shape", "[]").set("chunks", "[]"));
  std::string key;
  scalar.key_encoding.append(key, {});
  CHECK(key == "0");
}

TEST_CASE("members that may be null may be absent, and others are passed over (V2-02, V2-04)") {
  for (auto* member : {"compressor", "fill_value", "filters"}) {
    auto document = zarray();
    document.remove(member);
    CHECK(read(document).codecs.size() == 1);
  }
  for (auto* member : {"zarr_format", "shape", "chunks", "dtype", "order"}) {
    auto document = zarray();
    document.remove(member);
    auto const message = "member " + std::string{member} + " is missing";
    check_refused<MetadataError>([&] { read(document); }, {"a/.zarray", message.c_str()});
  }
  CHECK(with("_zarr_extra", "{\"must_understand\": true}").shape == Extents{4, 6});
}

TEST_CASE("the separator of chunk keys (V2-03)") {
  CHECK(with("dimension_separator", "\"/\"").key_encoding.separator == '/');
  CHECK(with("dimension_separator", "\".\"").key_encoding.separator == '.');
  CHECK(with("dimension_separator", "null").key_encoding.separator == '.');
  refuse("dimension_separator", "\"-\"", {"member dimension_separator"});
}

TEST_CASE("shape and chunks are of one rank, and chunks not empty (V2-05)") {
  refuse("chunks", "[2]", {"member chunks", "expected 2 numbers"});
  refuse("chunks", "[2, 0]", {"member chunks", "at least 1"});
  refuse("chunks", "true", {"member chunks"});
  refuse("shape", "[4, -1]", {"member shape[1]"});
  auto const none = read(zarray().set("shape", "[0, 6]").set("chunks", "[0, 3]"));
  CHECK(none.chunk_shape == Extents{1, 3});
}

TEST_CASE("type strings of NumPy (V2-06, V2-07, V2-10)") {
  struct {
    char const *dtype, *type, *endian;
  } const table[] = {{"|b1", "bool", ""},
                     {"<b1", "bool", ""},
                     {"|i1", "int8", ""},
                     {"|u1", "uint8", ""},
                     {"<u1", "uint8", ""},
                     {">i2", "int16", "big"},
                     {"<u2", "uint16", "little"},
                     {"<i8", "int64", "little"},
                     {">u8", "uint64", "big"},
                     {"<f2", "float16", "little"},
                     {">f4", "float32", "big"},
                     {"<f8", "float64", "little"},
                     {"<c8", "complex64", "little"},
                     {">c16", "complex128", "big"},
                     {"<M8[ns]", "numpy.datetime64[ns]", "little"},
                     {">m8[10us]", "numpy.timedelta64[10us]", "big"},
                     {"<M8", "numpy.datetime64[generic]", "little"},
                     {"<m8[25s]", "numpy.timedelta64[25s]", "little"},
                     {"<U4", "fixed_length_utf32[16]", "little"},
                     {">U1", "fixed_length_utf32[4]", "big"},
                     {"|S3", "null_terminated_bytes[3]", ""},
                     {"<S3", "null_terminated_bytes[3]", ""},
                     {"bfloat16", "bfloat16", "little"},
                     {"float8_e4m3fn", "float8_e4m3fn", ""},
                     {"int4", "int4", ""},
                     {"|V5", "r40", ""},
                     {"|V1", "r8", ""}};
  for (auto const& row : table) {
    CAPTURE(std::string{row.dtype});
    auto const array = with("dtype", '"' + std::string{row.dtype} + '"');
    CHECK(array.type.name() == row.type);
    auto const* const configuration = array.codecs.at(0).configuration.get_if<Members>();
    auto const endian = configuration ? configuration->get<std::string>("endian", "") : "";
    CHECK(endian == row.endian);
  }
  for (auto* dtype : {"\"f8\"", "\"=f8\"", "\"<f\"", "\"<f08\"", "\"<fx\"", "\"|i4\"", "\"\"", "\"<\"", "8", "null",
                      "\"<f99999999999\"", "\"|U4\"", "\"<U0\"", "\"|S\"", "\"<M4[s]\"", "\"|M8[s]\"", "\"<M8[x]\"",
                      "\"<M8[]\"", "\"<M8[0s]\"", "\"<M8[2147483648s]\"", "\"<M8s\"", "\"<m8[s\"", "[]",
                      R"([["a"]])", R"([["", "<i4"]])", R"([["a", "<i4"], ["a", "<i4"]])", R"([[1, "<i4"]])",
                      R"([["a", "f8"]])", R"(["a", "<i4"])"})
    refuse("dtype", dtype, {"member dtype"});
  for (auto* dtype : {"\"<f16\"", "\"<c32\"", "\"<i3\"", "\"<f1\"", "\"<x4\"", "\"|V1048577\""})
    refuse("dtype", dtype, {"member dtype", "is not supported"});
}

TEST_CASE("types that tessera does not have are refused by name (V2-12, V2-13)") {
  for (auto* dtype : {"\"|O\"", R"([["a", "|O"]])", R"([["a", "<i4"], ["b", ">f8"]])", R"([["a", "<i4", [2]]])"}) {
    refuse("dtype", dtype, {"member dtype", "is not supported"});
    try {
      with("dtype", dtype);
    } catch (MetadataError const& error) {
      CHECK(error.unsupported().find("data type ") == 0);
    }
  }
}

TEST_CASE("objects are what their first filter says (V2-12, NUM-VLEN-UTF8, NUM-VLEN-BYTES, NUM-JSON2, NUM-MSGPACK2, NUM-PICKLE, NUM-CATEGORIZE, NUM-VLEN-ARRAY, V2-13, V2-24)") {
  auto const objects = [](char const* filters, char const* fill = "0") {
    return zarray().set("dtype", "\"|O\"").set("filters", filters).set("fill_value", fill);
  };
  auto const strings = read(objects(R"([{"id": "vlen-utf8"}])"));
  CHECK(strings.type == string_type);
  CHECK(strings.fill.empty());
  CHECK(codecs_of(strings) == same(R"([{"name": "vlen-utf8", "configuration": {}}])"));
  CHECK(read(objects(R"([{"id": "vlen-utf8"}])", "null")).fill.empty());
  CHECK(read(objects(R"([{"id": "vlen-utf8"}])", R"("")")).fill.empty());
  CHECK(read(objects(R"([{"id": "vlen-utf8"}])", R"("0x7")")).fill == test::bytes("0x7"));
  auto const blobs = read(objects(R"([{"id": "vlen-bytes"}])", R"("AQID")").set("order", "\"F\"").set(
      "compressor", R"({"id": "zlib", "level": 1})"));
  CHECK(blobs.type == bytes_type);
  CHECK(blobs.fill == test::hex("010203"));
  CHECK(codecs_of(blobs) == same(R"([{"name": "transpose", "configuration": {"order": [1, 0]}},
      {"name": "vlen-bytes", "configuration": {}}, {"name": "numcodecs.zlib", "configuration": {"level": 1}}])"));
  auto const raised = detail::raise_v2_array(blobs);
  CHECK(raised.at("dtype") == Value{"|O"});
  CHECK(raised.at("filters") == parse_json(R"([{"id": "vlen-bytes"}])"));
  CHECK(raised.at("compressor") == parse_json(R"({"id": "zlib", "level": 1})"));
  CHECK(raised.at("fill_value") == Value{"AQID"});
  CHECK(detail::raise_v2_array(strings).at("compressor").is_null());
  for (std::string const id : {"json2", "msgpack2", "pickle", "categorize", "vlen-array"})
    check_refused<MetadataError>([&] { read(objects(("[{\"id\": \"" + id + "\"}]").c_str())); },
                                 {"a/.zarray", "member filters[0]", id.c_str(), "not supported"});
  check_refused<MetadataError>([&] { read(objects(R"([{"id": "vlen-utf8", "odd": 1}])")); },
                               {"member filters[0].odd is unknown"});
  check_refused<MetadataError>([&] { read(objects("[]")); }, {"member dtype", "without a filter"});
}

TEST_CASE("structured types: nested, with holes and titles (V2-14, V2-15, V2-16, G-42)") {
  auto const fields = [](char const* dtype) { return detail::describe_fields(with("dtype", dtype).fields); };
  CHECK(fields(R"([["a", "|u1"], ["", "|V3"], ["b", "<i4"]])") == "a: uint8, 3 bytes, b: int32");
  CHECK(fields(R"([["p", [["x", ">f4"], ["y", ">f4"]]], [["a title", "t"], ">M8[s]"], ["", "|V1"], ["", "|V2"]])") ==
        "p: {x: float32, y: float32}, t: numpy.datetime64[s], 1 bytes, 2 bytes");
  auto const array = read(zarray().set("dtype", R"([["a", ">i4"], ["", "|V1"], ["b", ">f4"]])").set(
      "fill_value", "\"AAAAAf8/gAAA\""));
  CHECK(array.type.name() == "struct[9]");
  CHECK(array.fill == test::hex("01000000 ff 0000803f"));
  CHECK(codecs_of(array) == same(R"([{"name": "bytes", "configuration": {"endian": "big"}}])"));
  for (auto* zero : {"null", "0"})
    CHECK(read(zarray().set("dtype", R"([["a", "<i4"]])").set("fill_value", zero)).fill == test::Bytes(4));
  check_refused<MetadataError>([&] { read(zarray().set("dtype", R"([["a", "<i4"]])").set("fill_value", "\"AAA=\"")); },
                               {"fill_value", "base64 of 4 bytes"});
  for (auto* name : {"[]", "[\"a title\"]", "[\"a title\", \"a\", \"b\"]", "[[], []]"})
    refuse("dtype", "[[" + std::string{name} + R"(, "<i4"]])", {"member dtype[0][0]"});
  std::string many;
  for (int i = 0; i < 1025; ++i) many += to_text({i == 0 ? "[" : ", ", "[\"", i, "\", \"|u1\"]"});
  check_refused<MetadataError>([&] { with("dtype", many + ']'); }, {"member dtype", "too many fields"});
}

TEST_CASE("types of one program alone: TensorStore's small numbers are read, zarrs' optional ones named (DTYPE-24)") {
  for (auto* name : {"int2", "int4", "uint2", "uint4", "float8_e4m3fn"})
    CHECK(with("dtype", '"' + std::string{name} + '"').type.name() == name);
  auto const optional = R"({"name": "zarrs.optional", "configuration": {"name": "uint8", "configuration": {}}})";
  check_refused<MetadataError>([&] { test::array_metadata(test::array_document().set("data_type", optional).text()); },
                               {"member data_type", "\"zarrs.optional\"", "not supported"});
}

TEST_CASE("fill values of times and of text (V2-20, V2-21, V2-22, V2-23)") {
  auto const fill = [](char const* dtype, char const* json) {
    return read(zarray().set("dtype", '"' + std::string{dtype} + '"').set("fill_value", json)).fill;
  };
  constexpr auto nat = std::numeric_limits<std::int64_t>::min();
  CHECK(fill("<M8[ns]", "-9223372036854775808") == bytes(nat));
  CHECK(fill("<M8[ns]", "\"NaT\"") == bytes(nat));
  CHECK(fill(">m8[s]", "null") == bytes(nat));  // as zarr-python reads it
  CHECK(fill(">m8[s]", "5") == bytes(std::int64_t{5}));
  CHECK(fill("<U2", "\"é\"") == test::hex("e900000000000000"));
  for (auto* empty : {"null", "0", "\"\""}) {
    CHECK(fill("<U1", empty) == test::Bytes(4));
    CHECK(fill("|S2", empty) == test::Bytes(2));
  }
  CHECK(fill("|S3", "\"eHk=\"") == test::hex("787900"));
  CHECK(fill("|S3", "\"0\"") == test::hex("300000"));  // not in base64
  for (auto [dtype, json] : {std::pair{"<M8[ns]", "1.5"}, {"<M8[ns]", "\"nat\""}, {"<U1", "\"ab\""}, {"|S1", "\"YWI=\""}})
    check_refused<MetadataError>([&, dtype = dtype, json = json] { fill(dtype, json); }, {"fill_value"});
}

TEST_CASE("fill values, and the odd spellings of them (V2-18, V2-19, V2-20, V2-22, V2-23, G-43)") {
  auto const fill = [](char const* dtype, char const* json) {
    return read(zarray().set("dtype", '"' + std::string{dtype} + '"').set("fill_value", json)).fill;
  };
  constexpr auto infinity = std::numeric_limits<float>::infinity();
  CHECK(fill("<i4", "null") == bytes(0));
  CHECK(fill("<i4", "-7") == bytes(-7));
  CHECK(fill(">i4", "-7") == bytes(-7));
  for (auto* word : {"3.0", "\"3\"", "\"3.0\""}) CHECK(fill("<i4", word) == bytes(3));
  CHECK(fill("<u8", "\"18446744073709551615\"") == bytes(~std::uint64_t{0}));
  CHECK(fill("<u8", "18446744073709551615") == bytes(~std::uint64_t{0}));
  CHECK(fill("|b1", "true") == bytes(true));
  CHECK(fill("|b1", "1") == bytes(true));
  CHECK(fill("|b1", "0") == bytes(false));
  CHECK(fill("|b1", "null") == bytes(false));
  CHECK(fill("<f4", "1.5") == bytes(1.5f));
  for (auto* word : {"\"1.5\"", "\"+1.5\"", "\"15e-1\""}) CHECK(fill("<f4", word) == bytes(1.5f));
  CHECK(fill("<f4", "null") == bytes(0.0f));
  CHECK(fill("<f4", "\"-Infinity\"") == bytes(-infinity));
  CHECK(fill("<f4", "Infinity") == bytes(infinity));
  CHECK(fill("<f4", "NaN") == bytes(std::uint32_t{0x7fc00000}));
  CHECK(fill("<f4", "\"NaN\"") == bytes(std::uint32_t{0x7fc00000}));
  CHECK(fill("<c8", R"(["NaN", 1.0])") == bytes(std::pair{std::uint32_t{0x7fc00000}, 1.0f}));
  CHECK(fill("<c8", "null") == bytes(std::pair{0.0f, 0.0f}));
  CHECK(fill("<c8", "2.5") == bytes(std::pair{2.5f, 0.0f}));
  CHECK(fill("|V5", "\"MTIzNDU=\"") ==
        std::vector{std::byte{'1'}, std::byte{'2'}, std::byte{'3'}, std::byte{'4'}, std::byte{'5'}});
  for (auto* zero : {"null", "0", "\"\""}) CHECK(fill("|V2", zero) == std::vector(2, std::byte{0}));
  for (auto const& [dtype, json] : {std::pair{"<i4", "\"x\""},
                                    {"<i4", "1.5"},
                                    {"<i4", "\"1.5\""},
                                    {"|u1", "\"256\""},
                                    {"|u1", "-1"},
                                    {"|i1", "128"},
                                    {"|b1", "2"},
                                    {"<f4", "\"one\""},
                                    {"<f4", "\"---\""},
                                    {"<f4", "\"+-1\""},
                                    {"<f4", "\"e\""},
                                    {"<f4", "\"1.5.5\""},
                                    {"<f2", "\"1-2\""},
                                    {"<f4", "[1]"},
                                    {"<c8", "[1]"},
                                    {"|V5", "\"MTIz\""},
                                    {"|V5", "\"!!!\""}})
    check_refused<MetadataError>([&, &type = dtype, &value = json] { fill(type, value); },
                                 {"a/.zarray", "member fill_value"});
}

TEST_CASE("order F is a transpose before everything else (V2-25)") {
  auto const array = with("order", "\"F\"");
  CHECK(codecs_of(array) == same(R"([{"name": "transpose", "configuration": {"order": [1, 0]}},
                                     {"name": "bytes", "configuration": {"endian": "little"}}])"));
  CHECK(read(zarray().set("order", "\"F\"").set("shape", "[4]").set("chunks", "[2]")).codecs.size() == 1);
  refuse("order", "\"A\"", {"member order"});
}

TEST_CASE("filters and compressor are codecs (V2-26, V2-27, NUM-00)") {
  auto const array = read(
      zarray()
          .set("filters", R"([{"id": "delta", "dtype": "<i4", "astype": ">i2"}, {"id": "shuffle", "elementsize": 2}])")
          .set("compressor", R"({"id": "zlib", "level": 1})"));
  CHECK(codecs_of(array) == same(R"([
      {"name": "numcodecs.delta", "configuration": {"dtype": "<i4", "astype": ">i2"}},
      {"name": "bytes", "configuration": {"endian": "big"}},
      {"name": "numcodecs.shuffle", "configuration": {"elementsize": 2}},
      {"name": "numcodecs.zlib", "configuration": {"level": 1}}])"));
  CHECK(with("filters", "[]").codecs.size() == 1);
  refuse("compressor", "{}", {"member compressor.id is missing"});
  refuse("compressor", "\"zlib\"", {"member compressor"});
  refuse("filters", "[{\"level\": 1}]", {"member filters[0].id is missing"});
  refuse("filters", "{}", {"member filters"});
  refuse("filters", R"([{"id": "delta", "dtype": "<f8"}])", {"member filters[0].dtype", "expected \"<i4\""});
  refuse("filters", R"([{"id": "delta", "dtype": ">i4"}])", {"member filters[0].dtype", "expected \"<i4\""});
  refuse("filters", R"([{"id": "zlib"}, {"id": "delta", "dtype": "<i4"}])", {"member filters[1]", "is not supported"});
  refuse("filters", R"([{"id": "vlen-utf8"}])",
         {"member filters[0]: \"vlen-utf8\" is for elements of \"|O\"", "\"<i4\""});
  refuse("compressor", R"({"id": "vlen-bytes"})", {"member compressor: \"vlen-bytes\" is for elements of \"|O\""});
}

TEST_CASE("delta takes times for integers of 64 bits (NUM-DELTA)") {
  auto const of = [](std::string const& dtype, std::string const& filter) {
    return read(zarray().set("dtype", '"' + dtype + '"').set("filters", '[' + filter + ']'));
  };
  auto const array = of(">M8[ns]", R"({"id": "delta", "dtype": ">i8"})");
  CHECK(array.type.name() == "numpy.datetime64[ns]");
  CHECK(codecs_of(array) == same(R"([{"name": "numcodecs.delta", "configuration": {"dtype": ">i8"}},
                                     {"name": "bytes", "configuration": {"endian": "big"}}])"));
  auto const narrower = of("<m8[10s]", R"({"id": "delta", "dtype": "<i8", "astype": "<i4"})");
  CHECK(codecs_of(narrower) == same(R"([
      {"name": "numcodecs.delta", "configuration": {"dtype": "<i8", "astype": "<i4"}},
      {"name": "bytes", "configuration": {"endian": "little"}}])"));
  for (auto const* const other : {"<u8", "<i4", ">i8", "<f8"})
    check_refused<MetadataError>([&] { of("<M8[ns]", R"({"id": "delta", "dtype": ")" + std::string{other} + "\"}"); },
                                 {"member filters[0].dtype", "expected \"<M8[ns]\""});
}

TEST_CASE("codecs of v3 have other members than those of numcodecs (V2-39, NUM-GZIP, NUM-ZSTD, NUM-BLOSC, NUM-CRC32C)") {
  auto const compressor = [](char const* json, char const* dtype = "<i4") {
    return to_json(
        to_value(read(zarray().set("dtype", '"' + std::string{dtype} + '"').set("compressor", json)).codecs.at(1)));
  };
  CHECK(compressor(R"({"id": "gzip", "level": 5})") == same(R"({"name": "gzip", "configuration": {"level": 5}})"));
  CHECK(compressor(R"({"id": "gzip", "level": -1})") == same(R"({"name": "gzip", "configuration": {"level": 6}})"));
  CHECK(compressor(R"({"id": "zstd", "level": 3})") ==
        same(R"({"name": "zstd", "configuration": {"level": 3, "checksum": false}})"));
  CHECK(compressor(R"({"id": "zstd", "level": 100})") ==  // as numcodecs accepts it
        same(R"({"name": "zstd", "configuration": {"level": 22, "checksum": false}})"));
  CHECK(compressor(R"({"id": "zstd", "level": "3"})") ==  // as NCZarr writes it
        same(R"({"name": "zstd", "configuration": {"level": 3, "checksum": false}})"));
  CHECK(compressor(R"({"id": "shuffle", "elementsize": "4"})") ==
        same(R"({"name": "numcodecs.shuffle", "configuration": {"elementsize": 4}})"));
  CHECK(compressor(R"({"id": "lz4", "level": "x", "size": "4.0"})") ==
        same(R"({"name": "numcodecs.lz4", "configuration": {"level": "x", "size": "4.0"}})"));
  CHECK(compressor(R"({"id": "crc32c"})") == same(R"({"name": "crc32c"})"));
  CHECK(compressor(R"({"id": "crc32c", "location": "start"})") ==
        same(R"({"name": "numcodecs.crc32c", "configuration": {"location": "start"}})"));
  auto const blosc = [&](char const* shuffle, char const* dtype) {
    return compressor(
        (R"({"id": "blosc", "cname": "lz4", "clevel": 5, "blocksize": 0, "shuffle": )" + std::string{shuffle} + "}")
            .c_str(),
        dtype);
  };
  auto const expected = [](char const* size, char const* shuffle) {
    return same(R"({"name": "blosc", "configuration": {"typesize": )" + std::string{size} +
                R"(, "cname": "lz4", "clevel": 5, "shuffle": ")" + shuffle + R"(", "blocksize": 0}})");
  };
  CHECK(blosc("0", "<i4") == expected("4", "noshuffle"));
  CHECK(blosc("1", "<f8") == expected("8", "shuffle"));
  CHECK(blosc("2", "<c16") == expected("16", "bitshuffle"));
  CHECK(blosc("-1", "|u1") == expected("1", "bitshuffle"));
  CHECK(blosc("-1", "<i2") == expected("2", "shuffle"));
  refuse("compressor", R"({"id": "blosc", "shuffle": 3})", {"member compressor.shuffle"});
  for (std::string const id : {"blosc", "gzip", "zstd", "crc32c"}) {
    refuse("compressor", "{\"id\": \"" + id + "\", \"odd\": 1}", {"member compressor.odd is unknown"});
    refuse("filters", "[{\"id\": \"" + id + "\", \"odd\": null}]", {"member filters[0].odd is unknown"});
  }
}

TEST_CASE("attributes are a document of their own (V2-32, V2-38)") {
  auto const array = read(zarray(), R"({"_ARRAY_DIMENSIONS": ["y", "x"], "_FillValue": NaN})");
  CHECK(array.attributes.size() == 2);
  CHECK(array.dimension_names == DimensionNames{"y", "x"});
  CHECK(read(zarray(), R"({"_ARRAY_DIMENSIONS": ["y"]})").dimension_names.empty());
  CHECK(read(zarray(), R"({"_ARRAY_DIMENSIONS": "y"})").dimension_names.empty());
  CHECK(read(zarray(), R"({"_ARRAY_DIMENSIONS": [1, 2]})").dimension_names.empty());
  for (auto* wrong : {"[]", "1", "{"})
    CHECK(read(zarray(), wrong).broken_attributes.find("key \"a/.zattrs\": ") != std::string::npos);
}

TEST_CASE("groups of Zarr v2, of other programs too (V2-33)") {
  Memory const store;
  test::put(store, "g/.zgroup", R"({"zarr_format": 2, "_nczarr_group": {}})");
  test::put(store, "g/.zattrs", R"({"a": 1})");
  auto const group = *read_document(store, "g", read_group_metadata);
  CHECK(group.format == ZarrFormat::v2);
  CHECK(group.attributes == Members{{"a", 1}});
  test::put(store, "g/.zgroup", R"({"zarr_format": 3})");
  check_refused<MetadataError>([&] { read_document(store, "g", read_group_metadata); },
                               {"key \"g/.zgroup\"", "member zarr_format", "expected 2"});
}

TEST_CASE("an array of v3 is written as v2 has it, and read back the same") {
  auto const array = [](std::string const& codecs) {
    auto document = test::array_document();
    document.set("shape", "[4, 6]").set("chunk_grid", test::grid("[2, 3]")).set("data_type", "\"float32\"");
    document.set("fill_value", "\"NaN\"").set("codecs", codecs).set("dimension_names", R"(["y", "x"])");
    auto metadata = test::array_metadata(document.text());
    metadata.format = ZarrFormat::v2;
    return metadata;
  };
  auto const bytes = [](char const* endian) {
    return R"({"name": "bytes", "configuration": {"endian": ")" + std::string{endian} + R"("}})";
  };
  auto const same_codecs = [&](std::string const& codecs) {
    auto const there = detail::as_v2(array('[' + codecs + ']'));
    CHECK(codecs_of(there) == same('[' + codecs + ']'));
    CHECK(there.format == ZarrFormat::v2);
    CHECK(there.dimension_names == DimensionNames{"y", "x"});
    CHECK(there.key_encoding.separator == '.');
  };
  same_codecs(bytes("little"));
  same_codecs(bytes("big") + R"(, {"name": "zstd", "configuration": {"level": 3, "checksum": true}})");
  same_codecs(R"({"name": "transpose", "configuration": {"order": [1, 0]}}, )" + bytes("little") +
              R"(, {"name": "numcodecs.shuffle", "configuration": {"elementsize": 4}}, {"name": "crc32c"})");
  same_codecs(bytes("little") + R"(, {"name": "blosc", "configuration": {"typesize": 4, "cname": "lz4", "clevel": 5,
                                      "shuffle": "bitshuffle", "blocksize": 0}})");
  auto const refuse_codecs = [&](std::string const& codecs, char const* word) {
    check_refused<MetadataError>([&] { detail::as_v2(array('[' + codecs + ']')); }, {"Zarr v2", word});
  };
  refuse_codecs(R"({"name": "transpose", "configuration": {"order": [0, 1]}}, )" + bytes("little"), "transpose");
  refuse_codecs(bytes("little") + R"(, {"name": "acme.codec"})", "acme.codec");
  refuse_codecs(R"({"name": "sharding_indexed", "configuration": {}})", "sharding_indexed");
}

TEST_CASE("documents of Zarr v2 are written member for member as zarr-python writes them") {
  ArrayMetadata array{{5, 7},
                      {DataKind::unsigned_integer, 2},
                      {2, 3},
                      {true, '.'},
                      bytes(std::uint16_t{5}),
                      {{"bytes", Members{{"endian", "little"}}}, {"zstd", Members{{"level", 0}, {"checksum", false}}}}};
  array.format = ZarrFormat::v2;
  auto const documents = detail::new_documents("a", array);
  REQUIRE(documents.size() == 2);
  CHECK(documents[0].key.path == "a/.zattrs");
  CHECK(documents[0].text == "{}");
  CHECK(documents[1].key.path == "a/.zarray");
  CHECK(documents[1].text == R"({
  "shape": [
    5,
    7
  ],
  "chunks": [
    2,
    3
  ],
  "dtype": "<u2",
  "fill_value": 5,
  "order": "C",
  "filters": null,
  "dimension_separator": ".",
  "compressor": {
    "id": "zstd",
    "level": 0
  },
  "zarr_format": 2
})");
}

TEST_CASE("fill values of Zarr v2 are written as zarr-python writes them") {
  auto const written = [](auto value, DataType type) { return to_json(detail::raise_v2_fill(bytes(value), {type})); };
  CHECK(written(std::uint32_t{0x7fc00000}, {DataKind::floating, 4}) == "\"NaN\"");
  CHECK(written(std::uint32_t{0x7fc00005}, {DataKind::floating, 4}) == "\"NaN\"");  // it cannot express the bits
  CHECK(written(-0.0, {DataKind::floating, 8}) == "-0.0");
  CHECK(written(true, {DataKind::boolean, 1}) == "true");
  CHECK(detail::raise_v2_fill(std::vector(5, std::byte{'1'}), {{DataKind::raw, 5}}) == Value{"MTExMTE="});
  for (std::size_t n = 1; n < 9; ++n) {
    std::vector<std::byte> some(n);
    for (std::size_t i = 0; i < n; ++i) some[i] = static_cast<std::byte>(251 * i + n);
    CHECK(detail::decode_base64(detail::encode_base64(some)) == some);
  }
}

}  // namespace v2_array_tests
