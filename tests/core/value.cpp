#include <doctest/doctest.h>

#include <tessera/core/value.hpp>

using namespace tessera;

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

TEST_CASE("a description has no control characters") { CHECK(describe(std::string{"a\nb\x01"}) == "\"a\\u{a}b\\u{1}\""); }

TEST_CASE("values are compared by kind and content") {
  CHECK(Value{Number{"3"}} == Value::integer(3));
  CHECK_FALSE(Value{Number{"3.0"}} == Value::integer(3));
  CHECK_FALSE(Value{"3"} == Value::integer(3));
  CHECK_FALSE(Value{false} == Value{});
  CHECK(Value{List{true}} == Value{List{true}});
}
