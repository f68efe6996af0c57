#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <tessera/core/object_reader.hpp>

using namespace tessera;
using test::check_refused;

static Value number(char const* text) { return Number{text}; }

TEST_CASE("a reader finds members by name and names the one that is missing") {
  Value const object = Members{{"a", true}, {"b", "text"}};
  ObjectReader reader{object, "top.inner"};
  CHECK(reader.at("a").boolean());
  CHECK(reader.at("b").string() == "text");
  CHECK(reader.at("b").where() == "top.inner.b");
  CHECK_FALSE(reader.find("c"));
  check_refused<MetadataError>([&] { reader.at("c"); }, {"member top.inner.c is missing"});
}

TEST_CASE("the members of a document itself have no path before them") {
  Value const object = Members{{"a", true}};
  CHECK(ObjectReader{object, ""}.at("a").where() == "a");
}

TEST_CASE("a reader notices the members that nobody asked for") {
  Value const object = Members{{"a", true}, {"b", false}, {"c", nullptr}};
  ObjectReader reader{object, "configuration"};
  (void)reader.find("b");
  REQUIRE(reader.rest().size() == 2);
  CHECK(reader.rest()[0]->name == "a");
  CHECK(reader.rest()[1]->name == "c");
  check_refused<MetadataError>([&] { reader.finish(); }, {"member configuration.a is unknown"});
  auto const unsupported = [&](std::string_view whose) {
    try {
      reader.finish(whose);
    } catch (MetadataError const& error) {
      return error.unsupported();
    }
    return std::string{};
  };
  CHECK(unsupported("") == "member \"a\"");
  CHECK(unsupported("gzip") == "codec \"gzip\" with member \"a\"");
  (void)reader.find("a"), (void)reader.find("c");
  CHECK_NOTHROW(reader.finish());
}

TEST_CASE("only an object has members") {
  for (Value const& value : {Value{}, Value{true}, number("1"), Value{"x"}, Value{List{}}}) {
    CAPTURE(describe(value));
    check_refused<MetadataError>([&] { ObjectReader reader(value, "codecs[0]"); },
                                 {"member codecs[0]", describe(value).c_str(), "expected an object"});
  }
}

TEST_CASE("a wrong type is refused with what was found and what was expected") {
  Value const text = "three";
  MemberValue const found{text, "shape[1]"};
  check_refused<MetadataError>([&] { found.integer(); }, {"member shape[1]", "found \"three\"", "expected an integer"});
  check_refused<MetadataError>([&] { found.boolean(); }, {"expected true or false"});
  check_refused<MetadataError>([&] { found.list(); }, {"expected a list"});
  check_refused<MetadataError>([&] { found.extents(); }, {"expected a list"});
  check_refused<MetadataError>([&] { found.one_of({"big", "little"}); }, {"expected \"big\" or \"little\""});
  Value const one = number("1");
  check_refused<MetadataError>([&] { MemberValue(one, "x").string(); }, {"found 1", "expected a string"});
}

TEST_CASE("an integer has neither fraction nor exponent, and is in its range") {
  for (auto* text : {"1.0", "1e0", "1E0", "0.5", "1e2", "-1", "256", "99999999999999999999999"}) {
    CAPTURE(std::string{text});
    Value const value = number(text);
    check_refused<MetadataError>([&] { MemberValue(value, "n").integer<std::uint8_t>(); },
                                 {"member n", text, "expected an integer from 0 to 255"});
  }
  Value const value = number("-128");
  CHECK(MemberValue(value, "n").integer<std::int8_t>() == -128);
  check_refused<MetadataError>([&] { MemberValue(value, "n").integer<int>(0, 9); }, {"from 0 to 9"});
  Value const most = number("18446744073709551615");
  CHECK(MemberValue(most, "n").integer<std::uint64_t>() == 18446744073709551615u);
  CHECK_THROWS_AS(MemberValue(most, "n").integer<std::int64_t>(), MetadataError);
}

TEST_CASE("extents name the entry that is wrong, and are not too many") {
  Value const lengths = List{number("3"), number("-1")};
  check_refused<MetadataError>([&] { MemberValue(lengths, "shape").extents(); }, {"member shape[1]", "found -1"});
  Value const zero = List{number("0")};
  CHECK(MemberValue(zero, "shape").extents() == Extents{0});
  check_refused<MetadataError>([&] { MemberValue(zero, "shape").extents(1); },
                               {"member shape[0]", "found 0", "from 1"});
  Value const many = List(33, number("1"));
  check_refused<MetadataError>([&] { MemberValue(many, "shape").extents(); }, {"a list of 33 values", "at most 32"});
}

TEST_CASE("an extension is a string, or an object with a name and perhaps a configuration") {
  Value const text = "bytes";
  CHECK(specification({text, "codecs[0]"}).name == "bytes");
  CHECK(specification({text, "codecs[0]"}).configuration == Value{Members{}});
  Value const object = Members{{"name", "zstd"}, {"configuration", Members{{"level", number("3")}}}};
  CHECK(specification({object, "codecs[0]"}).name == "zstd");
  CHECK(specification({object, "codecs[0]"}).configuration == Value{Members{{"level", number("3")}}});
  Value const tolerated = Members{{"name", "zstd"}, {"must_understand", false}};
  CHECK(specification({tolerated, "codecs[0]"}).name == "zstd");
}

TEST_CASE("a document that is no object has no member to be named") {
  Value const list = List{};
  try {
    ObjectReader{list, ""};
    FAIL_CHECK("nothing was thrown");
  } catch (MetadataError const& error) {
    CHECK(std::string{error.what()} == "found [], expected an object");
  }
}

TEST_CASE("an extension that is neither is refused with the member's path") {
  auto refuse = [](Value const& value, std::initializer_list<char const*> words) {
    check_refused<MetadataError>([&] { specification({value, "codecs[2]"}); }, words);
  };
  refuse(number("1"), {"member codecs[2]", "expected an object"});
  refuse(Members{}, {"member codecs[2].name is missing"});
  refuse(Members{{"name", number("1")}}, {"member codecs[2].name", "expected a string"});
  refuse(Members{{"name", "x"}, {"configuration", List{}}}, {"member codecs[2].configuration", "expected an object"});
  refuse(Members{{"name", "x"}, {"configuration", nullptr}}, {"member codecs[2].configuration", "found null"});
  refuse(Members{{"name", "x"}, {"must_understand", "false"}}, {"member codecs[2].must_understand"});
  refuse(Members{{"name", "x"}, {"level", number("1")}}, {"member codecs[2].level is unknown"});
}
