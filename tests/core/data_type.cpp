#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <tessera/core/data_type.hpp>

using namespace tessera;

TEST_CASE_TEMPLATE("a C++ type and its name mean the same data type", T, bool, std::int8_t, std::int16_t, std::int32_t,
                   std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float, double) {
  constexpr auto type = data_type_of<T>();
  CHECK(type.size == sizeof(T));
  CHECK(type.component() == sizeof(T));
  REQUIRE(data_type_named(type.name()));
  CHECK(*data_type_named(type.name()) == type);
}

TEST_CASE("data types have the names of the specification") {
  CHECK(data_type_of<bool>().name() == "bool");
  CHECK(data_type_of<std::int16_t>().name() == "int16");
  CHECK(data_type_of<std::uint64_t>().name() == "uint64");
  CHECK(data_type_of<float>().name() == "float32");
  for (auto* unknown : {"", "Bool", "uint", "int128", "float8", "bool8", "complex32", "r0", "r7", "r", "r08"}) {
    CAPTURE(std::string{unknown});
    CHECK_FALSE(data_type_named(unknown));
  }
}

TEST_CASE("elements are numbers that Zarr has") {
  CHECK(Element<long long>);
  CHECK_FALSE(Element<float const>);
  CHECK_FALSE(Element<wchar_t>);
  CHECK_FALSE(Element<char8_t>);
  CHECK_FALSE(Element<long double>);
  CHECK_FALSE(Element<std::string>);
}
