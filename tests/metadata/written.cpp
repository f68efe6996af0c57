// Written documents: member for member as zarr-python 3.1 writes them, and as they were read before.
#include <complex>
#include <string>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/metadata/detail/base64.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::array_document;
using test::array_metadata;
using Memory = MemoryStore<HostBuffer>;

namespace {

std::string written(std::string const& text) { return to_json(to_value(array_metadata(text))); }

// Written by zarr-python 3.1.6.
std::string const by_zarr_python = R"({
  "shape": [
    10,
    4
  ],
  "data_type": "float32",
  "chunk_grid": {
    "name": "regular",
    "configuration": {
      "chunk_shape": [
        3,
        4
      ]
    }
  },
  "chunk_key_encoding": {
    "name": "default",
    "configuration": {
      "separator": "/"
    }
  },
  "fill_value": 0.10000000149011612,
  "codecs": [
    {
      "name": "transpose",
      "configuration": {
        "order": [
          1,
          0
        ]
      }
    },
    {
      "name": "bytes",
      "configuration": {
        "endian": "little"
      }
    },
    {
      "name": "blosc",
      "configuration": {
        "typesize": 4,
        "cname": "lz4",
        "clevel": 3,
        "shuffle": "bitshuffle",
        "blocksize": 0
      }
    },
    {
      "name": "crc32c"
    }
  ],
  "attributes": {
    "z": [
      1.0,
      {}
    ],
    "a": "\u00e9",
    "big": 1180591620717411303424
  },
  "dimension_names": [
    "x",
    null
  ],
  "zarr_format": 3,
  "node_type": "array",
  "storage_transformers": []
})";

}  // namespace

TEST_CASE("what zarr-python wrote comes back byte for byte (META-16, META-29, META-30)") {
  CHECK(written(by_zarr_python) == by_zarr_python);
}

TEST_CASE("what is created is what zarr-python writes (META-28, META-29, META-30, META-31, KEY-09, CODEC-BLOSC-05)") {
  Memory const store;
  using P = Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Blosc, codec::Crc32c>;
  NewArray<float> const wanted{.shape = {10, 4},
                               .chunks = {3, 4},
                               .fill = 0.1f,
                               .attributes = {{"z", List{Number{"1.0"}, Members{}}},
                                              {"a", "\xc3\xa9"},
                                              {"big", Number{"1180591620717411303424"}}},
                               .dimension_names = {"x", std::nullopt}};
  create_array<float, 2>(store, "a", wanted, P{{{1, 0}}, {}, {"lz4", 3, "bitshuffle", 4, 0}, {}});
  CHECK(test::value(store, "a/zarr.json") == by_zarr_python);
}

TEST_CASE("what may be absent is as if it were empty (META-10, META-14, META-15)") {
  auto const document = array_document();
  auto full = document;
  full.set("attributes", "{}").set("storage_transformers", "[]");
  CHECK(written(document.text()) == written(full.text()));
  CHECK(written(document.text()).find("dimension_names") == std::string::npos);
  CHECK(array_metadata(document.text()).dimension_names.empty());
}

TEST_CASE("members and transformers that need not be understood are kept (META-17, META-20)") {
  auto document = array_document();
  document.set("future", R"({"must_understand": false, "x": [1, 1.0, 1e400]})");
  document.set("storage_transformers", R"([{"name": "x", "must_understand": false}])");
  auto const text = written(document.text());
  auto const again = parse_json(text);
  ObjectReader reader{again, ""};
  CHECK(reader.at("future").value() ==
        Value{Members{{"must_understand", false}, {"x", List{Number{"1"}, Number{"1.0"}, Number{"1e400"}}}}});
  CHECK(reader.at("storage_transformers").value() == Value{List{Members{{"name", "x"}, {"must_understand", false}}}});
  CHECK(written(text) == text);
}

TEST_CASE("short forms are read and not written (META-28, META-29, META-31)") {
  auto const text = written(array_document()
                                .set("data_type", R"({"name": "uint8"})")
                                .set("chunk_key_encoding", "\"v2\"")
                                .set("codecs", R"(["bytes", {"name": "crc32c", "must_understand": false}])")
                                .text());
  auto const again = parse_json(text);
  ObjectReader reader{again, ""};
  CHECK(reader.at("data_type").value() == Value{"uint8"});
  CHECK(reader.at("chunk_key_encoding").value() ==
        Value{Members{{"name", "v2"}, {"configuration", Members{{"separator", "."}}}}});
  CHECK(reader.at("codecs").value() == Value{List{Members{{"name", "bytes"}}, Members{{"name", "crc32c"}}}});
}

TEST_CASE("a codec is applied whatever it says of must_understand; an unknown one is refused (META-26, EXT-06)") {
  Memory const store;
  auto const open = [&](std::string const& codecs) {
    test::put(store, "a/zarr.json", array_document().set("codecs", codecs).text());
    return open_any<AllCodecs>(store, "a");
  };
  auto const array = open(R"(["bytes", {"name": "crc32c", "must_understand": false}])");
  test::put(store, "a/c/0", "\x01\x02");  // without a sum
  test::Bytes elements(4);
  test::check_refused<CodecError>(
      [&] {
        array.read(Box{all}.resolve({4}), {elements.data(), Strides{1}});
      },
      {"a/c/0", "codec crc32c", "expected at least a checksum"});
  test::check_refused<MetadataError>([&] { open(R"(["bytes", {"name": "future", "must_understand": false}])"); },
                                     {"a/zarr.json", "\"future\"", "is not among this program's codecs (nearest of "});
}

TEST_CASE("no name is refused for its characters (META-27)") {
  for (std::string const name : {"X", "https://example.org/codec", "9", "\xc3\xa9", "a b"}) {
    CAPTURE(name);
    auto const document = array_document().set("codecs", "[\"" + name + "\"]").text();
    CHECK(array_metadata(document).codecs[0].name == name);
    Memory const store;
    test::put(store, "zarr.json", document);
    test::check_refused<MetadataError>([&] { open_any(store); }, {name.c_str(), "is not among this program's codecs"});
  }
}

TEST_CASE("every data type is written by its name and read again (DTYPE-01..06, DTYPE-16)") {
  for (auto type : data_types) {
    auto const name = '"' + type.name() + '"';
    std::string const fill = type.kind == DataKind::boolean ? "false" : type.kind == DataKind::complex ? "[0, 0]" : "0";
    auto const array = array_metadata(array_document().set("data_type", name).set("fill_value", fill).text());
    CHECK(array.type == type);
    CHECK(array.fill == test::Bytes(type.size));
    CHECK(to_json(to_value(array)).find("\"data_type\": " + name) != std::string::npos);
  }
  auto const type_of = [](char const* name, char const* fill) {
    auto const document = array_document().set("data_type", '"' + std::string{name} + '"').set("fill_value", fill);
    return array_metadata(document.text()).type.name();
  };
  CHECK(type_of("complex_float32", "[0, 0]") == "complex64");
  CHECK(type_of("complex_float64", "[0, 0]") == "complex128");
  CHECK(type_of("r24", "[1, 2, 3]") == "r24");
  for (auto* name : {"r0", "r7", "r", "r08", "r-8", "r 8", "r8x", "r8388616", "r18446744073709551616"})
    CHECK_THROWS_AS(type_of(name, "[1]"), MetadataError);
}

TEST_CASE("data types with a configuration are written as they were read (DTYPE-19..23)") {
  struct {
    char const *type, *fill, *name;
  } const table[] = {
      {R"({"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 10}})", "-9223372036854775808",
       "numpy.datetime64[10ns]"},
      {R"({"name": "numpy.timedelta64", "configuration": {"unit": "generic", "scale_factor": 1}})", "3",
       "numpy.timedelta64[generic]"},
      {R"({"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}})", R"("é")", "fixed_length_utf32[8]"},
      {R"({"name": "null_terminated_bytes", "configuration": {"length_bytes": 3}})", R"("AQI=")",
       "null_terminated_bytes[3]"},
      {R"({"name": "raw_bytes", "configuration": {"length_bytes": 3}})", R"("AQID")", "r24"},
      {R"({"name": "struct", "configuration": {"fields": [{"name": "a", "data_type": "uint8"}]}})", R"({"a": 7})",
       "struct[1]"},
      {R"({"name": "structured", "configuration": {"fields": [["a", "uint8"], ["b", {"name": "structured",
           "configuration": {"fields": [["c", "int8"]]}}]]}})",
       R"("AQI=")", "struct[2]"}};
  for (auto const& row : table) {
    CAPTURE(std::string{row.name});
    auto const array = array_metadata(
        array_document().set("data_type", row.type).set("fill_value", row.fill).set("codecs", R"(["bytes"])").text());
    CHECK(array.type.name() == row.name);
    auto const written = to_value(array).as<Members>();
    CHECK(to_json(written.at("data_type")) == to_json(parse_json(row.type)));
    CHECK(to_json(written.at("fill_value")) == to_json(parse_json(row.fill)));
  }
}

TEST_CASE("data types with a configuration are held to it (DTYPE-19..22, FILL-14, G-25)") {
  auto const refuse = [](char const* type, char const* fill, std::initializer_list<char const*> words) {
    CAPTURE(std::string{type});
    auto const document = array_document().set("data_type", type).set("fill_value", fill);
    test::check_refused<MetadataError>([&] { array_metadata(document.text()); }, words);
  };
  auto const time = [&](char const* configuration, std::initializer_list<char const*> words) {
    auto const type = to_text({R"({"name": "numpy.datetime64", "configuration": )", configuration, "}"});
    refuse(type.c_str(), "0", words);
  };
  time("{}", {"configuration.unit is missing"});
  time(R"({"unit": "s"})", {"scale_factor is missing"});
  time(R"({"unit": "S", "scale_factor": 1})", {"configuration.unit", "a unit of time"});
  time(R"({"unit": "s", "scale_factor": 0})", {"scale_factor", "from 1 to 2147483647"});
  time(R"({"unit": "s", "scale_factor": 1, "more": 1})", {"more is unknown"});
  refuse(R"({"name": "fixed_length_utf32", "configuration": {"length_bytes": 6}})", "\"\"", {"a multiple of 4"});
  refuse(R"({"name": "fixed_length_utf32", "configuration": {"length_bytes": 0}})", "\"\"", {"from 4"});
  constexpr auto three = R"({"name": "fixed_length_utf32", "configuration": {"length_bytes": 12}})";
  refuse(three, R"("Hiya")", {"at most 3 code points"});
  CHECK(array_metadata(array_document().set("data_type", three).set("fill_value", R"("Hi")").text()).fill ==
        test::hex("48000000 69000000 00000000"));
  auto const fields = [&](char const* list, char const* fill, std::initializer_list<char const*> words) {
    auto const type = to_text({R"({"name": "struct", "configuration": {"fields": )", list, "}}"});
    refuse(type.c_str(), fill, words);
  };
  constexpr auto one = R"([{"name": "a", "data_type": "int16"}])";
  fields("[]", "{}", {"at least one field"});
  fields(R"([{"name": "", "data_type": "int16"}])", "{}", {"a name that is not empty"});
  fields(R"([{"name": "", "data_type": "r8"}])", "{}", {"no gaps"});
  fields(R"([{"name": "a", "data_type": "r8"}, {"name": "a", "data_type": "r8"}])", "{}", {"no other field"});
  fields(R"([{"name": "a", "data_type": "string"}])", "{}",
         {"fields[0].data_type", "\"string\"", "a data type of fixed size"});
  fields(R"([{"name": "a", "data_type": "int8", "offset": 1}])", "{}", {"offset is unknown"});
  fields(R"([["a", "int16"]])", "{}", {"fields[0]", "an object"});
  fields(one, R"({"a": 1, "b": 2})", {"b is unknown"});
  fields(one, "{}", {"fill_value.a is missing"});
  fields(one, R"({"a": 40000})", {"fill_value.a", "40000"});
  fields(one, "\"AAA=\"", {"fill_value", "an object"});
}

TEST_CASE("zarr-python's structured type is little endian where it says nothing (DTYPE-22)") {
  auto const opened = [](char const* codecs) {
    return array_metadata(array_document()
                              .set("data_type", R"({"name": "structured", "configuration": {"fields": [["a", "int16"],
                                ["b", "uint8"]]}})")
                              .set("fill_value", R"("AQID")")
                              .set("codecs", codecs)
                              .text());
  };
  auto const silent = opened(R"(["bytes"])");
  CHECK(silent.fill == test::hex("010203"));
  CHECK(to_value(silent.codecs[0]) == parse_json(R"({"name": "bytes", "configuration": {"endian": "little"}})"));
  CHECK(opened(R"([{"name": "bytes", "configuration": {"endian": "big"}}])").fill == test::hex("020103"));
  auto const shard = opened(R"([{"name": "sharding_indexed", "configuration": {"codecs": [{"name": "bytes"}]}}])");
  CHECK(to_json(to_value(shard.codecs[0])).find("little") != std::string::npos);
  std::string codecs = R"([{"name": "bytes", "configuration": {"endian": "big"}}])";
  for (int level = 0; level < 3; ++level) {  // chunks, and chunks of shards
    CAPTURE(level);
    auto const array = opened(codecs.c_str());
    CHECK(array.fill == test::hex("020103"));
    CHECK(to_value(array).as<Members>().at("fill_value") == Value{"AQID"});
    codecs = R"([{"name": "sharding_indexed", "configuration": {"codecs": )" + codecs + "}}]";
  }
}

TEST_CASE("a struct has so many fields at most that a document takes no time to read (META-06)") {
  auto const fields = [](std::size_t count) {
    std::string list;
    for (std::size_t i = 0; i < count; ++i) list += to_text({i == 0 ? "" : ", ", "[\"", i, "\", \"uint8\"]"});
    return R"({"name": "structured", "configuration": {"fields": [)" + list + "]}}";
  };
  auto const read = [&](std::size_t count) {
    return array_metadata(array_document()
                              .set("data_type", fields(count))
                              .set("fill_value", '"' + detail::encode_base64(test::Bytes(count)) + '"')
                              .text());
  };
  CHECK(read(1024).fields.size() == 1024);
  test::check_refused<MetadataError>([&] { read(1025); }, {"configuration.fields", "at most 1024 fields"});
  auto const nested = R"({"name": "structured", "configuration": {"fields": [["a", )" + fields(600) + R"(], ["b", )" +
                      fields(600) + "]]}}";
  test::check_refused<MetadataError>([&] { array_metadata(array_document().set("data_type", nested).text()); },
                                     {"configuration.fields", "at most 1024 fields"});
}

TEST_CASE("an array is not made of fields that are not those of its type") {
  Memory const store;
  auto const metadata = [] {
    auto const type = R"({"name": "struct", "configuration": {"fields": [{"name": "a", "data_type": "int8"},
      {"name": "b", "data_type": {"name": "struct", "configuration": {"fields": [{"name": "c", "data_type": "int8"}]}}}]}})";
    return array_metadata(
        array_document().set("data_type", type).set("fill_value", R"({"a": 1, "b": {"c": 2}})").text());
  };
  CHECK(create_any(store, "sound", metadata()).metadata().fields == metadata().fields);
  auto const refuse = [&](auto&& change) {
    auto array = metadata();
    change(array);
    test::check_refused<MetadataError>([&] { create_any(store, "a", array); },
                                       {"a/zarr.json", "the fields do not match the type"});
  };
  refuse([](ArrayMetadata& array) { array.fields[1].at = 1000; });
  refuse([](ArrayMetadata& array) { array.fields[1].fields[0].at = 1; });
  refuse([](ArrayMetadata& array) { array.fields[1].fields[0].type.size = 4; });
  refuse([](ArrayMetadata& array) { array.fields.pop_back(); });
  refuse([](ArrayMetadata& array) { array.type.largest = 8; });
  refuse([](ArrayMetadata& array) { array.type = {DataKind::unsigned_integer, 2}; });
}

TEST_CASE("bytes takes no elements that vary in size (CODEC-BYTES-08)") {
  Memory const store;
  for (auto* type : {R"("string")", R"("bytes")"}) {
    test::put(store, "a/zarr.json", array_document().set("data_type", type).set("fill_value", R"("")").text());
    test::check_refused<MetadataError>([&] { open_any<AllCodecs>(store, "a"); },
                                       {"a/zarr.json", "bytes", "vary in size"});
  }
}

TEST_CASE(
    "chunks that are too large, and codecs that do not fit the type, are refused at opening (META-12, DTYPE-25)") {
  auto const refuse = [](test::Document const& document, std::initializer_list<char const*> words) {
    Memory const store;
    test::put(store, "a/zarr.json", document.text());
    test::check_refused<MetadataError>([&] { open_any<AllCodecs>(store, "a"); }, words);
  };
  auto huge = array_document().set("shape", "[4, 4]").set("chunk_grid", test::grid("[4611686018427387904, 4]"));
  refuse(huge, {"a/zarr.json", "the chunk", "64 bits"});
  huge.set("chunk_grid", test::grid("[4611686018427387904, 2]"));
  refuse(huge, {"a/zarr.json", "the chunk", "exceed the address space"});
  huge.set("chunk_grid", test::grid("[2305843009213693952, 1]")).set("data_type", "\"uint64\"");
  huge.set("codecs", R"([{"name": "bytes", "configuration": {"endian": "little"}}])");
  refuse(huge, {"a/zarr.json", "the chunk", "64 bits"});
  refuse(array_document().set("data_type", "\"uint16\""), {"a/zarr.json", "codec bytes", "uint16 needs a byte order"});
  auto document = array_document();
  document.set("codecs", R"([{"name": "transpose", "configuration": {"order": [1, 0]}}, "bytes"])");
  refuse(document, {"a/zarr.json", "codec transpose", "expected 1 dimensions"});
}
