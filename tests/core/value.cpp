#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <tessera/core/float16.hpp>
#include <tessera/core/value.hpp>

using namespace tessera;
using test::check_refused;

namespace {

template <class T>
void check_number(T number, std::string const& text) {
  Value const value = number;
  REQUIRE(value.get_if<Number>());
  CHECK(value.get_if<Number>()->text == text);
  CHECK(value.as<T>() == number);
}

}  // namespace

TEST_CASE("a description is short, whatever the value is") {
  CHECK(describe({}) == "null");
  CHECK(describe(true) == "true");
  CHECK(describe(Number{"1e5"}) == "1e5");
  CHECK(describe("text") == "\"text\"");
  CHECK(describe(Members{{"a", true}}) == "an object");
  CHECK(describe(List{true, "x", {}, List{true}}) == "[true, \"x\", null, [...]]");
  CHECK(describe(List(9, Value{true})) == "a list of 9 values");
  auto const shown = describe(std::string(1000, 'x'));
  CHECK(shown.size() < 70);
  CHECK(shown.ends_with("...\""));
}

TEST_CASE("a description has no control characters") {
  CHECK(describe(std::string{"a\nb\x01"}) == "\"a\\u{a}b\\u{1}\"");
}

TEST_CASE("values are compared by kind and content") {
  CHECK(Value{Number{"3"}} == Value::integer(3));
  CHECK_FALSE(Value{Number{"3.0"}} == Value::integer(3));
  CHECK_FALSE(Value{"3"} == Value::integer(3));
  CHECK_FALSE(Value{false} == Value{});
  CHECK(Value{List{true}} == Value{List{true}});
}

TEST_CASE("numbers of every arithmetic type are numbers, and a bool alone is a bool") {
  check_number<signed char>(-128, "-128");
  check_number<unsigned char>(255, "255");
  check_number<short>(-32768, "-32768");
  check_number<int>(7, "7");
  check_number<long>(-7, "-7");
  check_number<long long>(std::numeric_limits<long long>::min(), "-9223372036854775808");
  check_number<std::size_t>(std::numeric_limits<std::size_t>::max(), "18446744073709551615");
  check_number<std::uint32_t>(4294967295, "4294967295");
  check_number(0.325, "0.325");
  check_number(0.1f, "0.1");  // not the nearest float as a double
  check_number(0.1l, "0.1");
  check_number(1.0, "1.0");  // with a decimal point, for Python and for reading it back
  check_number(-0.0, "-0.0");
  check_number(1e300, "1e+300");
  check_number(5e-324, "5e-324");
  check_number(float16{0.1}, "0.099975586");
  Value const yes = true;
  REQUIRE(yes.get_if<bool>());
  CHECK(*yes.get_if<bool>());
}

TEST_CASE("NaN and infinities are the words that Python writes, and come back") {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  CHECK(Value{std::nan("")} == Value{Number{"NaN"}});
  CHECK(Value{-infinity} == Value{Number{"-Infinity"}});
  CHECK(std::isnan(Value{Number{"NaN"}}.as<double>()));
  CHECK(Value{infinity}.as<float>() == std::numeric_limits<float>::infinity());
  CHECK(Value{Number{"-Infinity"}}.as<double>() == -infinity);
  check_refused<MetadataError>([] { (void)Value{"NaN"}.as<double>(); }, {"found \"NaN\", expected a number"});
}

TEST_CASE("values are made of text, ranges, members and nullptr") {
  char text[] = "abc";
  CHECK(Value{text} == Value{"abc"});
  CHECK(Value{std::string_view{text, 2}} == Value{"ab"});
  CHECK(Value{nullptr}.is_null());
  CHECK(Value{std::vector{1, 2}} == Value{List{1, 2}});
  CHECK(Value{std::array{0.5f}} == Value{List{Number{"0.5"}}});
  CHECK(Value{std::vector<bool>{true, false}} == Value{List{true, false}});
  int const numbers[] = {3, 4};
  CHECK(Value{numbers} == Value{List{3, 4}});
  CHECK(Value{std::vector<std::vector<std::string>>{{"a"}, {}}} == Value{List{List{"a"}, List{}}});
  Value const nested = Members{{"a", Members{{"b", List{1, Members{{"c", nullptr}}}}}}};
  CHECK(nested.at("a").at("b").at(1).at("c").is_null());
}

TEST_CASE("a number is given within the type that is asked for, or refused") {
  auto const refuse = [](auto type, std::string const& text, std::initializer_list<char const*> words) {
    CAPTURE(text);
    check_refused<MetadataError>([&] { (void)Value{Number{text}}.as<decltype(type)>(); }, words);
  };
  refuse(std::int8_t{}, "128", {"found 128, expected an integer from -128 to 127"});
  refuse(std::uint8_t{}, "-1", {"found -1, expected an integer from 0 to 255"});
  refuse(int{}, "1.0", {"found 1.0, expected an integer"});
  refuse(int{}, "1e3", {"found 1e3"});
  refuse(std::int64_t{}, "9223372036854775808", {"found 9223372036854775808"});
  refuse(double{}, "1e400", {"found 1e400, expected a number within the range of a float of 8 bytes"});
  refuse(float{}, "-1e39", {"found -1e39, expected a number within the range of a float of 4 bytes"});
  CHECK(Value{Number{"18446744073709551615"}}.as<std::uint64_t>() == std::numeric_limits<std::uint64_t>::max());
  CHECK(Value{Number{"1e-400"}}.as<double>() == 0);
  CHECK(Value{Number{"123456789012345678901234567890"}}.as<double>() == 123456789012345678901234567890.0);
  CHECK(Value{Number{"0.1"}}.as<float>() == 0.1f);
  CHECK(Value{7}.as<double>() == 7);
}

TEST_CASE("what is read is taken out of values by type, name and place") {
  Members const attributes{{"unit", "mm"}, {"scale", List{0.5, 2, 1e3}}, {"on", true}, {"none", Value{}}};
  CHECK(attributes.at("unit").as<std::string>() == "mm");
  CHECK(attributes.at("scale").as<std::vector<double>>() == std::vector{0.5, 2.0, 1000.0});
  CHECK(attributes.at("scale").at(1).as<int>() == 2);
  CHECK(attributes.at("on").as<bool>());
  CHECK(attributes.at("scale").as<List>().size() == 3);
  CHECK(attributes.as<Members>() == attributes);
  CHECK(attributes.at(0).name == "unit");
  REQUIRE(attributes.find("none"));
  CHECK(attributes.find("none")->is_null());
  CHECK_FALSE(attributes.find("other"));
  CHECK(attributes.contains("unit"));
  check_refused<MetadataError>([&] { (void)attributes.at("units"); },
                               {"member \"units\" is missing; there are \"unit\", \"scale\", \"on\", \"none\""});
  check_refused<MetadataError>([&] { (void)Members{}.at("a"); }, {"member \"a\" is missing; there are none"});
  check_refused<MetadataError>([&] { (void)attributes.at("unit").at("x"); }, {"found \"mm\", expected an object"});
  check_refused<MetadataError>([&] { (void)attributes.at("unit").at(0); }, {"found \"mm\", expected a list"});
  check_refused<MetadataError>([&] { (void)attributes.at("scale").at(3); }, {"found index 3 in a list of 3 values"});
  check_refused<MetadataError>([&] { (void)attributes.at("on").as<std::string>(); }, {"found true, expected a string"});
  check_refused<MetadataError>([&] { (void)attributes.at("unit").as<bool>(); }, {"expected true or false"});
}

TEST_CASE("what is taken out of a temporary is there still") {
  auto const made = [] { return Members{{"a", Members{{"b", List{std::string(100, 'x'), 2}}}}}; };
  auto const& inner = made().at("a").at("b").at(0);
  CHECK(inner.as<std::string>() == std::string(100, 'x'));
  std::size_t count = 0;
  for (auto& [name, value] : made()) count += name.size() + value.at("b").as<List>().size();
  CHECK(count == 3);
}

TEST_CASE("a member that is missing may have another value instead") {
  Members const members{{"scale", 0.5}, {"name", "x"}};
  CHECK(members.get("scale", 1.0) == 0.5);
  CHECK(members.get("offset", 3) == 3);
  CHECK(members.get("name", std::string{"y"}) == "x");
  check_refused<MetadataError>([&] { members.get("name", 1.0); }, {"member \"name\": found \"x\", expected a number"});
}

TEST_CASE("get names the member that is of another type, and the places above and below it") {
  Members const members{{"scale", 0.5}, {"axes", Members{{"sizes", List{1, "K"}}, {"unit", 3}}}};
  CHECK(members.get<double>("scale") == 0.5);
  CHECK(members.at("axes").get<int>("unit") == 3);
  CHECK(members.at("axes").get("offset", 3) == 3);
  CHECK(members.get("unit", "um") == std::string{"um"});  // text, as for the elements of a Value
  CHECK(members.at("axes").get("name", "y") == std::string{"y"});
  CHECK(Members{{"unit", "mm"}}.get("unit", "um") == std::string{"mm"});
  check_refused<MetadataError>([&] { (void)members.get<int>("scale"); },
                               {"member \"scale\": found 0.5, expected an integer"});
  check_refused<MetadataError>([&] { (void)members.at("axes").get<std::string>("unit"); },
                               {"member \"unit\": found 3, expected a string"});
  check_refused<MetadataError>([&] { (void)members.at("axes").get<std::vector<int>>("sizes"); },
                               {"member \"sizes\": item 1: found \"K\", expected an integer"});
  check_refused<MetadataError>([&] { (void)members.get<int>("none"); }, {"member \"none\" is missing; there are"});
}

TEST_CASE("braces in attributes are lists, or objects where each of them names a value") {
  auto const of = [](Members members) { return members.at("k"); };
  std::string const text = "text";
  std::vector<int> const numbers{1, 2};
  CHECK(of({{"k", {"x"}}}) == Value{List{"x"}});
  CHECK(of({{"k", {"y", "x"}}}) == Value{List{"y", "x"}});
  CHECK(of({{"k", {"z", "y", "x"}}}) == Value{List{"z", "y", "x"}});
  CHECK(of({{"k", {text}}}) == Value{List{"text"}});
  CHECK(of({{"k", {1}}}) == Value{List{1}});
  CHECK(of({{"k", {0.5, 2}}}) == Value{List{0.5, 2}});
  CHECK(of({{"k", {true, nullptr, "x"}}}) == Value{List{true, nullptr, "x"}});
  CHECK(of({{"k", {numbers}}}) == Value{std::vector<List>{{1, 2}}});
  CHECK(of({{"k", {{"x"}}}}) == Value{std::vector<List>{{"x"}}});
  CHECK(of({{"k", {{1, 2}, {3}}}}) == Value{std::vector<List>{{1, 2}, {3}}});
  CHECK(of({{"k", {{1.5}}}}) == Value{std::vector<List>{{1.5}}});
  CHECK(of({{"k", {Members{{"a", 1}}, Members{}}}}) == Value{List{Members{{"a", 1}}, Members{}}});

  CHECK(of({{"k", {}}}) == Value{Members{}});
  CHECK(of({{"k", {{"b", 1}}}}) == Value{Members{{"b", 1}}});
  CHECK(of({{"k", {{"b", 1}, {text, "c"}}}}) == Value{Members{{"b", 1}, {"text", "c"}}});
  CHECK(of({{"k", {{"b", {{"c", {1, 2}}}}}}}) == Value{Members{{"b", Members{{"c", List{1, 2}}}}}});

  // In a list too.
  CHECK(of({{"k", {{{"b", 1}}}}}) == Value{List{Members{{"b", 1}}}});
  CHECK(of({{"k", {{{"b", 1}, {"c", true}}, {{"b", 2}}}}}) ==
        Value{List{Members{{"b", 1}, {"c", true}}, Members{{"b", 2}}}});
  CHECK(of({{"k", {1, {{"b", {{{"c", 1}}}}}}}}) == Value{List{1, Members{{"b", List{Members{{"c", 1}}}}}}});
  CHECK(of({{"k", {{}, {{"b", {}}}}}}) == Value{List{Members{}, Members{{"b", Members{}}}}});
  CHECK(of({{"k", {{{1, 2}, {3, 4}}}}}) == Value{std::vector<List>{{List{1, 2}, List{3, 4}}}});
  // Two texts in braces are never the memory from one to the other.
  CHECK(of({{"k", {{{"y", "x"}, {"b", "a"}}}}}) == Value{List{Members{{"y", "x"}, {"b", "a"}}}});
  CHECK(of({{"k", {{{"y", "x"}, 1}}}}) == Value{std::vector<List>{{List{"y", "x"}, 1}}});

  Members const several{{"k", {"x"}}, {"none", nullptr}, {"list", List{}}};
  CHECK(several.at("k") == Value{List{"x"}});
  CHECK(several.at("none").is_null());
  CHECK(several.at("list") == Value{List{}});
}

TEST_CASE("members and places by brackets") {
  Members const attributes{{"scale", {{"factor", 0.5}}}, {"voxel", {1, 2}}};
  CHECK(attributes["scale"]["factor"].as<double>() == 0.5);
  CHECK(attributes["voxel"][1].as<int>() == 2);
  CHECK(attributes[1].name == "voxel");  // a vector's, as usual
  CHECK(attributes[0].name == "scale");
  CHECK(Members{attributes}[std::string{"voxel"}][0].as<int>() == 1);  // of a temporary, a copy
  CHECK_THROWS_AS((void)attributes["offset"], MetadataError);
  CHECK_THROWS_AS((void)attributes["voxel"][2], MetadataError);
  CHECK_THROWS_AS((void)attributes["voxel"]["x"], MetadataError);
}

TEST_CASE("members that may change are changed and added by brackets") {
  Members attributes{{"unit", "mm"}, {"voxel", {1, 2}}};
  attributes["unit"] = "um";
  attributes["voxel"][0] = 0.5;
  attributes["ome"]["version"] = "0.5";
  CHECK(attributes == Members{{"unit", "um"}, {"voxel", {0.5, 2}}, {"ome", {{"version", "0.5"}}}});
  CHECK_THROWS_AS(attributes["unit"]["x"] = 1, MetadataError);
  CHECK_THROWS_AS(attributes["voxel"][7] = 1, MetadataError);
}

TEST_CASE("lists grow") {
  Members attributes{{"voxel", {0.5}}, {"unit", "um"}};
  attributes["voxel"].push_back(2);
  attributes["axes"].push_back("y");  // null before
  attributes["axes"].push_back(Members{{"name", "x"}});
  CHECK(attributes == Members{{"voxel", {0.5, 2}}, {"unit", "um"}, {"axes", {"y", {{"name", "x"}}}}});
  check_refused<MetadataError>([&] { attributes["unit"].push_back(1); }, {"found \"um\", expected a list"});
}
