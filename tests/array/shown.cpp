// An array's description, as text and to a stream.
#include <iomanip>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/array/visit.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;

TEST_CASE("a shape, a data type and names of dimensions go to a stream as to_string gives them") {
  std::ostringstream text;
  text << Extents{2, 3} << ' ' << Strides{-1} << ' ' << data_type_of<float>() << ' ' << Extents{} << ' '
       << DimensionNames{"y", std::nullopt, "a \"\n\""} << ' ' << DimensionNames{};
  CHECK(text.str() == "[2, 3] [-1] float32 [] [\"y\", null, \"a \"\\u{a}\"\"] []");
  DimensionNames names{std::vector<std::optional<std::string>>{"y"}};
  CHECK(names == DimensionNames{"y"});
  names = {"a", "b"};
  CHECK(to_string(names) == "[\"a\", \"b\"]");
  CHECK(to_string(DimensionNames{"y", "x"}) == "[\"y\", \"x\"]");
}

TEST_CASE("whatever has << for text is such a stream, and the stream comes back as its own") {
  struct Log {
    std::string text;
    Log& operator<<(std::string const& part) {
      text += part;
      return *this;
    }
  } log;
  log << Extents{4} << data_type_of<std::int8_t>();
  CHECK(log.text == "[4]int8");
  std::ostringstream text;
  text << std::setw(8) << Extents{2, 3};
  CHECK(text.str() == "  [2, 3]");
}

TEST_CASE("every handle of an array says its type and the names of its dimensions") {
  MemoryStore<HostBuffer> const store;
  auto const a = create_array<float, 2>(
      store, "a",
      {.shape = {2, 3}, .chunks = {2, 2}, .attributes = {{"unit", "K"}}, .dimension_names = {"y", "x"}});
  CHECK(a.type() == data_type_of<float>());
  CHECK(a.dimension_names() == DimensionNames{"y", "x"});
  CHECK(a.untyped().dimension_names() == DimensionNames{"y", "x"});
  visit<Types<float>>(open_any(store, "a"), [](auto const& typed) {
    CHECK(typed.type() == data_type_of<float>());
    CHECK(typed.dimension_names() == DimensionNames{"y", "x"});
    CHECK(typed.attributes().template get<std::string>("unit") == "K");
  });
  for (auto const& name : open_any(store, "a").dimension_names()) CHECK(name->size() == 1);  // of a temporary, a copy
  CHECK(create_array<float, 1>(store, "b", {.shape = {2}, .chunks = {2}}).dimension_names().empty());
}
