// The members of an array's document: the required ones, and their permitted values.
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>

#include <tessera/metadata/json.hpp>

using namespace tessera;
using test::array_document;
using test::array_metadata;
using test::check_refused;
using test::grid;

static void refuse(char const* member, std::string const& json, std::initializer_list<char const*> words) {
  CAPTURE(std::string{member});
  CAPTURE(std::string{json});
  check_refused<MetadataError>([&] { array_metadata(array_document().set(member, json).text()); }, words);
}

TEST_CASE("the smallest array") {
  auto const array = array_metadata(array_document().text());
  CHECK(array.shape == Extents{4});
  CHECK(array.type == DataType{DataKind::unsigned_integer, 1});
  CHECK(array.chunk_shape == Extents{2});
  CHECK_FALSE(array.key_encoding.v2);
  CHECK(array.key_encoding.separator == '/');
  CHECK(array.fill == std::vector{std::byte{0}});
  REQUIRE(array.codecs.size() == 1);
  CHECK(array.codecs[0].name == "bytes");
  CHECK(array.attributes == Value{Members{}});
  CHECK(array.dimension_names.empty());
}

TEST_CASE("every required member is missed by name (META-09)") {
  for (auto* member : {"node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value"}) {
    CAPTURE(std::string{member});
    auto const message = "member " + std::string{member} + " is missing";
    check_refused<MetadataError>([&] { array_metadata(array_document().remove(member).text()); }, {message.c_str()});
  }
}

TEST_CASE("a member of another type is refused with what was found") {
  struct {
    char const *member, *expected;
    std::initializer_list<char const*> wrong;
  } const table[] = {
      {"node_type", "expected \"array\"", {"null", "3", "\"arrays\"", "\"\"", "[\"array\"]"}},
      {"shape", "", {"null", "4", "\"4\"", "{}", "true"}},
      {"data_type", "", {"null", "8", "[\"uint8\"]", "{}"}},
      {"chunk_grid", "", {"null", "[2]", "2", "{}"}},
      {"chunk_key_encoding", "", {"null", "\"/\"", "[]", "{}"}},
      {"fill_value", "", {"null", "\"0\"", "[0]", "{}", "true"}},
      {"codecs", "", {"null", "\"bytes\"", "{}", "[1]", "[null]", "[[]]", "[{}]"}},
      {"attributes", "expected an object", {"null", "[]", "\"x\"", "1"}},
      {"storage_transformers", "", {"null", "{}", "\"x\"", "[1]", "[null]"}},
      {"dimension_names", "", {"\"x\"", "{}", "1"}},
  };
  for (auto const& row : table)
    for (auto* json : row.wrong) {
      auto const member = "member " + std::string{row.member};
      refuse(row.member, json, {member.c_str(), row.expected});
    }
}

TEST_CASE("node_type says array, and a group's document is refused as one (META-08)") {
  refuse("node_type", "\"group\"", {"member node_type", "found \"group\"", "expected \"array\""});
}

TEST_CASE("shape is a list of lengths (META-11)") {
  auto shape = [](char const* json, char const* chunks) {
    return array_metadata(array_document().set("shape", json).set("chunk_grid", grid(chunks)).text()).shape;
  };
  CHECK(shape("[]", "[]") == Extents{});
  CHECK(shape("[0, 3]", "[1, 3]") == Extents{0, 3});
  CHECK(shape("[9223372036854775807]", "[1]") == Extents{9223372036854775807u});
  for (auto* json : {"[10.0]", "[1e1]", "[-1]", "[\"3\"]", "[null]", "[true]", "[[3]]", "[9223372036854775808]"})
    refuse("shape", json, {"member shape[0]", "expected an integer"});
  refuse("shape", "[1, 2, -3]", {"member shape[2]", "found -3"});
}

TEST_CASE("a shape may have more elements and bytes than 64 bits count (META-12)") {
  auto narrow = array_document().set("shape", "[4611686018427387904, 4]").set("chunk_grid", grid("[1, 1]"));
  CHECK(array_metadata(narrow.text()).shape == Extents{4611686018427387904u, 4});
  auto wide = array_document().set("shape", "[4611686018427387904]").set("chunk_grid", grid("[1]"));
  wide.set("data_type", "\"uint32\"");
  CHECK_NOTHROW(array_metadata(wide.text()));
  CHECK_NOTHROW(array_metadata(
      array_document().set("shape", "[4611686018427387904, 0, 16]").set("chunk_grid", grid("[1, 1, 1]")).text()));
}

TEST_CASE("data types that are not supported are refused by name, with those that are (META-25, EXT-06)") {
  for (auto* name : {"float8", "complex32", "r7", "text", "uint128", "numpy.datetime", "Int8", ""}) {
    auto const quoted = '"' + std::string{name} + '"';
    refuse("data_type", quoted, {"member data_type", quoted.c_str(), "not supported", "bool, int8", "float64"});
  }
  refuse("data_type", R"({"name": "numpy.time", "configuration": {"unit": "s", "scale_factor": 1}})", {"\"numpy.time\""});
  for (std::string const name : {"\"optional\"", "\"zarrs.optional\""})
    refuse("data_type", R"({"name": )" + name + R"(, "configuration": {"name": "uint8", "configuration": {}}})",
           {"member data_type", name.c_str(),
            "not supported: elements that may be missing, which zarrs stores with a mask"});
}

static std::string unsupported(test::Document document) try {
  array_metadata(document.text());
  return "supported";
} catch (MetadataError const& error) {
  return error.unsupported().empty() ? "wrong" : error.unsupported();
}

TEST_CASE("a document that is sound but for what is not supported says so; one that is not does not") {
  struct {
    char const *member, *json, *extension;
  } const cases[] = {{"data_type", R"("text")", R"(data type "text")"},
                     {"data_type", R"({"name": "x", "configuration": {"y": 1}})", R"(data type "x")"},
                     {"chunk_grid", R"({"name": "spiral", "configuration": {}})", R"(chunk grid "spiral")"},
                     {"chunk_key_encoding", R"("hashed")", R"(chunk key encoding "hashed")"},
                     {"storage_transformers", R"(["cache"])", R"(storage transformer "cache")"}};
  for (auto const& sample : cases) {
    CAPTURE(std::string{sample.extension});
    auto const document = array_document().set(sample.member, sample.json);
    CHECK(unsupported(document) == sample.extension);
    for (auto [other, damage] : {std::pair{"shape", "[-1]"}, {"codecs", "[1]"}, {"attributes", "3"}, {"more", "1"},
                                 {"dimension_names", R"(["x", "y"])"}, {"node_type", R"("field")"}})
      CHECK(unsupported(test::Document{document}.set(other, damage)) == "wrong");
    CHECK(unsupported(test::Document{document}.remove("fill_value")) == "wrong");
  }
  CHECK(unsupported(array_document().set("data_type", R"("text")").set("fill_value", R"("a")")) ==
        R"(data type "text")");
  CHECK(unsupported(array_document().set("data_type", R"("text")").set("chunk_grid", R"("other")")) ==
        R"(data type "text")");
}

TEST_CASE("a data type may be written as an object, with nothing to configure (META-28, META-24)") {
  auto type = [](char const* json) {
    return array_metadata(array_document().set("data_type", json).text()).type.name();
  };
  CHECK(type(R"("int16")") == "int16");
  CHECK(type(R"({"name": "int16"})") == "int16");
  CHECK(type(R"({"name": "int16", "configuration": {}})") == "int16");
  refuse("data_type", R"({"name": "int16", "configuration": {"endian": "big"}})",
         {"member data_type.configuration.endian is unknown"});
}

TEST_CASE("dimension_names are strings or null, one per dimension (META-13, 14)") {
  auto names = [](char const* json) {
    auto document = array_document().set("shape", "[4, 4]").set("chunk_grid", grid("[2, 2]"));
    return array_metadata(document.set("dimension_names", json).text()).dimension_names;
  };
  using Names = std::vector<std::optional<std::string>>;
  CHECK(names(R"(["x", null])") == Names{"x", std::nullopt});
  CHECK(names(R"(["", ""])") == Names{"", ""});
  CHECK(names("null").empty());  // of early Icechunk
  CHECK(names(R"(["x", "x"])") == Names{"x", "x"});
  refuse("dimension_names", "[]", {"member dimension_names", "1 names"});
  refuse("dimension_names", R"(["x", "y"])", {"member dimension_names", "1 names"});
  refuse("dimension_names", "[1]", {"member dimension_names[0]", "expected a string"});
}

static std::string codecs_of(test::Document document) {
  List list;
  for (auto const& codec : array_metadata(document.text()).codecs) list.push_back(to_value(codec));
  return to_json(list);
}

TEST_CASE("what GDAL until 3.10 leaves out of its codecs is what GDAL reads") {
  auto const little = to_json(parse_json(R"([{"name": "bytes", "configuration": {"endian": "little"}}])"));
  auto const codec = [](std::string const& name) { return R"({"name": ")" + name + R"(", "configuration": {}})"; };
  auto const wide = [](std::string const& codecs) {
    auto document =
        array_document().set("data_type", "\"int16\"").set("shape", "[2, 3, 4]").set("chunk_grid", grid("[1, 1, 1]"));
    return codecs.empty() ? document.remove("codecs") : document.set("codecs", codecs);
  };
  CHECK(codecs_of(wide("")) == little);
  CHECK(codecs_of(array_document().remove("codecs")) == to_json(parse_json(R"([{"name": "bytes"}])")));
  for (std::string const name : {"gzip", "blosc"}) {
    auto const found = array_metadata(wide('[' + codec(name) + ']').text()).codecs;
    REQUIRE(found.size() == 2);
    CHECK(found[0].name == "bytes");
    CHECK(found[0].configuration == Value{Members{{"endian", "little"}}});
    CHECK(found[1].name == name);
  }
  for (auto const& [order, list] : {std::pair{"F", "[2,1,0]"}, {"C", "[0,1,2]"}}) {
    auto const transpose = R"([{"name": "transpose", "configuration": {"order": ")" + std::string{order} + "\"}}]";
    auto const found = array_metadata(wide(transpose).text()).codecs;
    REQUIRE(found.size() == 2);
    CHECK(found[0].configuration == Value{Members{{"order", parse_json(list)}}});
    CHECK(found[1].name == "bytes");
  }
  for (auto const* other : {"[]", R"(["zstd"])", R"(["sharding_indexed"])", R"(["crc32c"])"})
    CHECK(codecs_of(wide(other)).find("\"bytes\"") == std::string::npos);
  // It is null if there is no fill value; nothing else is.
  CHECK(array_metadata(wide("").set("fill_value", "null").text()).fill == std::vector<std::byte>(2));
  check_refused<MetadataError>([&] { array_metadata(array_document().set("fill_value", "null").text()); },
                               {"member fill_value: found null"});
}

TEST_CASE("attributes are kept as they are (META-15, 16)") {
  auto const array =
      array_metadata(array_document()
                         .set("attributes", R"({"z": 1.0, "a": {"must_understand": true, "n": 18446744073709551616}})")
                         .text());
  CHECK(array.attributes ==
        Value{Members{{"z", Number{"1.0"}},
                      {"a", Members{{"must_understand", true}, {"n", Number{"18446744073709551616"}}}}}});
}
