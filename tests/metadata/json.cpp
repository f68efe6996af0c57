#include <string>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <tessera/metadata/json.hpp>

using namespace tessera;
using test::check_refused;

TEST_CASE("json: every kind of value, members in their order") {
  auto const value = parse_json(R"( {"b": [1, -2.5e3, "x", true, null], "a": {"c": {}}} )");
  CHECK(value ==
        Value{Members{{"b", List{Number{"1"}, Number{"-2.5e3"}, "x", true, {}}}, {"a", Members{{"c", Members{}}}}}});
}

TEST_CASE("json: numbers keep what they say") {
  for (std::string text :
       {"0", "-1", "1.0", "1e0", "1E2", "0.1", "-0.0", "9223372036854775807", "-9223372036854775808",
        "18446744073709551615", "18446744073709551616", "-9223372036854775809", "123456789012345678901234567890",
        "3.14159265358979323846264338327950288419716939937510", "1e-400", "1e300", "1e400", "-1E+99999", "-0"}) {
    CAPTURE(text);
    auto const value = parse_json(text);
    REQUIRE(value.get_if<Number>());
    CHECK(value.get_if<Number>()->text == text);
  }
}

TEST_CASE("json: text is UTF-8, escapes are read") {
  CHECK(parse_json(R"("é\u00e9\ud83d\ude00\n\"")") == Value{"éé\xf0\x9f\x98\x80\n\""});
  CHECK(parse_json(R"("\u0000")") == Value{std::string(1, '\0')});
}

TEST_CASE("json: the words of Python are numbers, wherever they are (META-04)") {
  auto const value = parse_json(R"({"attributes": {"_FillValue": NaN, "range": [-Infinity, Infinity]}, "x": NaN})");
  CHECK(value == Value{Members{{"attributes", Members{{"_FillValue", Number{"NaN"}},
                                                      {"range", List{Number{"-Infinity"}, Number{"Infinity"}}}}},
                               {"x", Number{"NaN"}}}});
  CHECK(parse_json(to_json(value)) == value);
  CHECK(parse_json(R"([{"a": [Infinity]}])") == Value{List{Members{{"a", List{Number{"Infinity"}}}}}});
  CHECK(parse_json("-Infinity") == Value{Number{"-Infinity"}});
  for (auto* text : {"nan", "NAN", "NaNs", "-NaN", "+Infinity", "Inf", "-Inf", "infinity", "Infinityx", "[NaN 1]",
                     R"({NaN: 1})", R"({"a": N})", R"({"a": -I})"}) {
    CAPTURE(std::string{text});
    check_refused<MetadataError>([&] { parse_json(text); }, {"not JSON"});
  }
}

TEST_CASE("json: an error says where it stands") {
  check_refused<MetadataError>([&] { parse_json("{\"a\": x}"); }, {"not JSON, at byte 7"});
  check_refused<MetadataError>([&] { parse_json(""); }, {"not JSON, at byte 1"});
}

TEST_CASE("json: text comes back as it was, in ASCII with two spaces to a level") {
  std::string const text =
      "{\n  \"a\": [\n    1.50,\n    {},\n    []\n  ],\n  \"\\u00e9\\ud83d\\ude00\": "
      "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u007f\",\n  "
      "\"c\": null,\n  \"d\": true,\n  \"e\": false\n}";
  CHECK(to_json(parse_json(text)) == text);
  check_refused<MetadataError>([] { to_json(Value{"\xff"}); }, {"not UTF-8"});
  check_refused<MetadataError>([] { to_json(Members{{"\xed\xa0\x80", true}}); }, {"not UTF-8"});
}

TEST_CASE("json: what is not one JSON value is refused (META-02)") {
  using namespace std::string_literals;
  for (auto const& text : {""s,
                           " "s,
                           "{"s,
                           "[1,"s,
                           "nul"s,
                           "{} {}"s,
                           "[1]]"s,
                           "[1,]"s,
                           "{\"a\":1,}"s,
                           "'x'"s,
                           "01"s,
                           "+1"s,
                           ".5"s,
                           "1."s,
                           "0x10"s,
                           "\"\t\""s,
                           "\"abc"s,
                           "// c\n1"s,
                           "{a:1}"s,
                           "\"\\x\""s,
                           "\"\\ud800\""s,
                           "\"\\ud800\\u0041\""s,
                           "\"\\udc00\""s,
                           "\"\\u12g4\""s,
                           "\"\xf4\x90\x80\x80\""s,
                           "1e"s,
                           "1e+"s,
                           "-"s,
                           "[1 2]"s,
                           "{\"a\" 1}"s,
                           "{\"a\":}"s,
                           "{1:2}"s,
                           "\"\xff\""s,
                           "\"\xc3\""s,
                           "\"\xed\xa0\x80\""s,
                           "\"\xc0\xaf\""s,
                           "{}\0"s,
                           "{}\0garbage"s,
                           "1\0 "s,
                           "\0"s}) {
    CAPTURE(text);
    check_refused<MetadataError>([&] { parse_json(text); }, {"not JSON"});
  }
}

TEST_CASE("json: a byte order mark of UTF-8 is passed over, and UTF-16 is refused by its name (META-02)") {
  using namespace std::string_literals;
  CHECK(parse_json("\xef\xbb\xbf{}") == Value{Members{}});
  CHECK(parse_json("\xef\xbb\xbf [1]\n") == parse_json("[1]"));
  for (auto const& text : {"\xef\xbb\xbf"s, "\xef\xbb\xbf\xef\xbb\xbf{}"s, "{\xef\xbb\xbf}"s})
    check_refused<MetadataError>([&] { parse_json(text); }, {"not JSON, at byte"});
  for (auto const& text : {"\xff\xfe{\0}\0"s, "\xfe\xff\0{\0}"s, "{\0}\0"s, "\0{\0}"s, "\xff\xfe\0\0{\0\0\0}\0\0\0"s})
    check_refused<MetadataError>([&] { parse_json(text); }, {"UTF-16", "write it again as UTF-8"});
}

TEST_CASE("json: a member that is there twice is refused, at any depth (META-03)") {
  check_refused<MetadataError>([] { parse_json(R"({"a": 1, "b": 2, "a": 1})"); }, {"\"a\"", "twice"});
  check_refused<MetadataError>([] { parse_json(R"({"x": [{"": 1, "": 2}]})"); }, {"\"\"", "twice"});
  CHECK_NOTHROW(parse_json(R"({"a": {"a": 1}, "b": {"a": 1}})"));
}

TEST_CASE("json: nesting is bounded, and a bomb is an error (META-06)") {
  auto nested = [](std::size_t depth, std::string const& open, std::string const& close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += open;
    text += "1";
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text;
  };
  CHECK_NOTHROW(parse_json(nested(256, "[", "]")));
  CHECK_NOTHROW(parse_json(nested(256, R"({"a":)", "}")));
  check_refused<MetadataError>([&] { parse_json(nested(257, "[", "]")); }, {"nested deeper than 256"});
  check_refused<MetadataError>([&] { parse_json(nested(1'000'000, "[", "]")); }, {"nested deeper than 256"});
  check_refused<MetadataError>([&] { parse_json(nested(1'000'000, R"({"a":)", "}")); }, {"nested deeper than 256"});
  check_refused<MetadataError>([&] { parse_json(std::string(1'000'000, '[')); }, {"nested deeper than 256"});
}

TEST_CASE("json: a million members are read") {
  std::string text = "{";
  for (int i = 0; i < 1'000'000; ++i) text += (i ? ",\"" : "\"") + std::to_string(i) + "\":1";
  auto const value = parse_json(text + "}");
  REQUIRE(value.get_if<Members>());
  CHECK(value.get_if<Members>()->size() == 1'000'000);
  check_refused<MetadataError>([&] { parse_json(text + ",\"77\":1}"); }, {"\"77\"", "twice"});
}

TEST_CASE("json: a document has so many values at most, however few bytes they take (META-06)") {
  std::string text = "[";
  for (std::size_t i = 0; i < bounds::values; ++i) text += "0,";
  text.back() = ']';
  check_refused<MetadataError>([&] { parse_json(text); }, {"more than 2097152 values"});
}
