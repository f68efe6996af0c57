#include <string>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>
#include <tessera/metadata/documents.hpp>

using namespace tessera;

static GroupMetadata group(std::string const& more) {
  auto const value = parse_json(R"({"zarr_format": 3, "node_type": "group")" + more + "}");
  ObjectReader reader{value, ""};
  (void)reader.at("zarr_format");
  return read_group_metadata(reader);
}

TEST_CASE("the smallest group, and one with attributes (GROUP-01)") {
  CHECK(group("").attributes == Value{Members{}});
  CHECK(group(R"(, "attributes": {"a": [1]})").attributes == Value{Members{{"a", List{Number{"1"}}}}});
  for (auto* wrong : {"null", "[]", "1", "\"x\""}) {
    CAPTURE(std::string{wrong});
    test::check_refused<MetadataError>([&] { group(", \"attributes\": " + std::string{wrong}); },
                                       {"member attributes"});
  }
}

TEST_CASE("consolidated metadata, and null in its place, are passed over (GROUP-07, 09)") {
  CHECK_NOTHROW(group(R"(, "consolidated_metadata": null)"));
  CHECK_NOTHROW(group(R"(, "consolidated_metadata": {"kind": "inline", "must_understand": false, "metadata": {}})"));
}

TEST_CASE("unknown members are refused unless they say must_understand: false (META-19)") {
  test::check_refused<MetadataError>([] { group(R"(, "future": {})"); }, {"member future is unknown"});
  test::check_refused<MetadataError>([] { group(R"(, "shape": [3])"); }, {"member shape is unknown"});
  CHECK_NOTHROW(group(R"(, "future": {"must_understand": false})"));
}

TEST_CASE("an array's document is no group's (META-08)") {
  auto const value = parse_json(test::array_document().text());
  ObjectReader reader{value, ""};
  test::check_refused<MetadataError>([&] { read_group_metadata(reader); },
                                     {"member node_type", "found \"array\"", "expected \"group\""});
}
