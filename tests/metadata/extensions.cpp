// Extension points: names, configurations, must_understand, and unknown members.
#include <string>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>

using namespace tessera;
using test::array_document;
using test::array_metadata;
using test::check_refused;

static void refuse_extension(char const* member, std::string const& json, std::initializer_list<char const*> words) {
  CAPTURE(std::string{member});
  CAPTURE(std::string{json});
  check_refused<MetadataError>([&] { array_metadata(array_document().set(member, json).text()); }, words);
}
static void accept(char const* member, std::string const& json) {
  CAPTURE(std::string{member});
  CAPTURE(std::string{json});
  CHECK_NOTHROW(array_metadata(array_document().set(member, json).text()));
}

TEST_CASE("unknown members are refused unless they say must_understand: false (META-18, G-49)") {
  for (auto* json : {"1", "null", "[]", "{}", "\"x\"", "false", R"({"must_understand": true})",
                     R"({"must_understand": "false"})", R"({"must_understand": 0})", R"({"must_understand": null})",
                     R"([{"must_understand": false}])", R"({"x": {"must_understand": false}})"})
    refuse_extension("future", json, {"member future is unknown"});
  accept("future", R"({"must_understand": false})");
  accept("future", R"({"name": "x", "must_understand": false, "configuration": {"a": 1}})");
}

TEST_CASE("what only groups have is unknown in an array (META-19)") {
  refuse_extension("consolidated_metadata", "{}", {"member consolidated_metadata is unknown"});
  accept("consolidated_metadata", "null");  // which is empty
}

TEST_CASE("an extension's name and configuration have their types (META-21, 22, 23)") {
  accept("codecs", R"(["bytes"])");
  accept("codecs", R"([{"name": "bytes", "configuration": {}}])");
  accept("codecs", R"([{"name": "bytes", "must_understand": true}])");
  accept("codecs", R"([{"name": "bytes", "must_understand": false}])");
  refuse_extension("codecs", R"([{}])", {"member codecs[0].name is missing"});
  refuse_extension("codecs", R"(["bytes", {"name": 1}])", {"member codecs[1].name", "expected a string"});
  refuse_extension("codecs", R"([{"name": "bytes", "configuration": []}])", {"member codecs[0].configuration"});
  refuse_extension("codecs", R"([{"name": "bytes", "configuration": null}])", {"member codecs[0].configuration"});
  refuse_extension("codecs", R"([{"name": "bytes", "must_understand": "false"}])", {"member codecs[0].must_understand"});
  refuse_extension("codecs", R"([{"name": "bytes", "endian": "big"}])", {"member codecs[0].endian is unknown"});
  refuse_extension("chunk_grid", R"({"name": "regular", "configuration": {"chunk_shape": [2]}, "kind": 1})",
         {"member chunk_grid.kind is unknown"});
}

TEST_CASE("storage transformers: none, or none that must be understood (META-17)") {
  accept("storage_transformers", "[]");
  accept("storage_transformers", R"([{"name": "x", "must_understand": false}])");
  refuse_extension("storage_transformers", R"(["x"])", {"member storage_transformers", "\"x\""});
  refuse_extension("storage_transformers", R"([{"name": "x", "must_understand": true}])", {"\"x\""});
  refuse_extension("storage_transformers", R"([{"name": "x", "must_understand": false}, {"name": "y"}])", {"\"y\""});
}

TEST_CASE("the chunk grid is regular, with a chunk shape of the array's rank (GRID-01, 02, 08)") {
  refuse_extension("chunk_grid", R"("regular")", {"member chunk_grid.configuration.chunk_shape is missing"});
  refuse_extension("chunk_grid", R"({"name": "regular"})", {"member chunk_grid.configuration.chunk_shape is missing"});
  refuse_extension("chunk_grid", R"({"name": "regular", "configuration": {}})",
         {"chunk_grid.configuration.chunk_shape is missing"});
  refuse_extension("chunk_grid", R"({"name": "spiral", "configuration": {"chunk_shape": [4]}})",
                   {"member chunk_grid", "\"spiral\"", "\"regular\"", "\"rectilinear\""});
  refuse_extension("chunk_grid", R"({"name": "x", "must_understand": false})", {"\"x\""});
  refuse_extension("chunk_grid", R"({"name": "regular", "configuration": {"chunk_shape": [2], "order": "C"}})",
         {"member chunk_grid.configuration.order is unknown"});
  refuse_extension("chunk_grid", test::grid("[2, 2]"), {"member chunk_grid.configuration.chunk_shape", "1 numbers"});
  refuse_extension("chunk_grid", test::grid("[]"), {"member chunk_grid.configuration.chunk_shape", "1 numbers"});
  for (auto* json : {"2", "[2.0]", "[-2]", "[\"2\"]", "null"})
    refuse_extension("chunk_grid", test::grid(json), {"member chunk_grid.configuration.chunk_shape"});
}

TEST_CASE("chunks are at least one long, except where older programs wrote 0 for an empty dimension (GRID-03)") {
  refuse_extension("chunk_grid", test::grid("[0]"), {"member chunk_grid.configuration.chunk_shape", "at least 1"});
  auto document = array_document().set("shape", "[0, 3]").set("chunk_grid", test::grid("[0, 3]"));
  CHECK(array_metadata(document.text()).chunk_shape == Extents{1, 3});
  document.set("chunk_grid", test::grid("[0, 0]"));
  CHECK_THROWS_AS(array_metadata(document.text()), MetadataError);
}

TEST_CASE("chunk key encodings: default and v2, each with its own separator (KEY-01, 02, 05)") {
  auto encoding = [](char const* json) {
    auto const found = array_metadata(array_document().set("chunk_key_encoding", json).text()).key_encoding;
    return std::string{found.v2 ? "v2 " : "default "} + found.separator;
  };
  CHECK(encoding(R"("default")") == "default /");
  CHECK(encoding(R"({"name": "default"})") == "default /");
  CHECK(encoding(R"({"name": "default", "configuration": {}})") == "default /");
  CHECK(encoding(R"({"name": "default", "configuration": {"separator": "."}})") == "default .");
  CHECK(encoding(R"("v2")") == "v2 .");
  CHECK(encoding(R"({"name": "v2", "configuration": {"separator": "/"}})") == "v2 /");
}

TEST_CASE("other encodings and separators are refused (KEY-04, 08)") {
  for (auto* separator : {"\"-\"", "\"\"", "\"//\"", "1", "null"})
    refuse_extension("chunk_key_encoding",
           R"({"name": "default", "configuration": {"separator": )" + std::string{separator} + "}}",
           {"member chunk_key_encoding.configuration.separator", "\"/\" or \".\""});
  refuse_extension("chunk_key_encoding", R"({"name": "default", "configuration": {"suffix": ".x"}})",
         {"member chunk_key_encoding.configuration.suffix is unknown"});
  refuse_extension("chunk_key_encoding", R"("suffix")", {"member chunk_key_encoding", "\"suffix\"", "\"default\" and \"v2\""});
  refuse_extension("chunk_key_encoding", R"({"name": "x", "must_understand": false})", {"\"x\""});
}
