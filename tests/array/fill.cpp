// One value for all elements of a selection: a value that does not fit the array's type is refused, and nothing is
// written.
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/memory_store.hpp>

namespace fill_tests {

using namespace tessera;
using test::check_refused;

namespace {

template <class T>
auto make() {
  return create_array<T, 1>(MemoryStore<HostBuffer>{}, "scan/a", {.shape = {5}, .chunks = {2}, .fill = T(1)});
}

template <class T, class V>
void takes(V value, T expected) {
  CAPTURE(data_type_of<T>().name());
  auto const array = make<T>();
  array.fill({{1, 3}}, value);
  auto const found = array.read(all);
  for (auto i : {1, 2}) CHECK(found(i) == expected);
  for (auto i : {0, 3, 4}) CHECK(found(i) == T(1));
}

template <class T, class V>
void refuses(V value, std::string const& shown) {
  auto const line = "found the value " + shown + ", which does not fit in " + data_type_of<T>().name();
  CAPTURE(line);
  auto const array = make<T>();
  check_refused<SelectionError>([&] { array.fill(all, value); }, {"key \"scan/a/zarr.json\"", line.c_str()});
  CHECK(array.read(all)(0) == T(1));
}

}  // namespace

TEST_CASE("a whole number outside of the array's type is refused") {
  refuses<std::uint8_t>(300, "300");
  refuses<std::uint8_t>(-1, "-1");
  refuses<std::int8_t>(128, "128");
  refuses<std::int8_t>(255u, "255");
  refuses<std::int64_t>(~std::uint64_t{0}, "18446744073709551615");
  refuses<std::uint64_t>(-1, "-1");
  refuses<std::uint16_t>(std::int64_t{1} << 40, "1099511627776");
  refuses<bool>(2, "2");
  takes<std::uint8_t>(255, 255);
  takes<std::int8_t>(-128, -128);
  takes<std::uint64_t>(7, 7);
  takes<std::int64_t>(true, 1);
  takes<bool>(1, true);
}

TEST_CASE("a fraction is no whole number, nor is what lies outside") {
  refuses<std::int32_t>(0.5, "0.5");
  refuses<std::uint8_t>(-1.0, "-1.0");
  refuses<std::uint8_t>(256.0f, "256.0");
  refuses<std::int64_t>(0x1p63, "9.223372036854776e+18");
  refuses<std::uint64_t>(0x1p64, "1.8446744073709552e+19");
  refuses<std::int16_t>(std::numeric_limits<double>::quiet_NaN(), "NaN");
  refuses<std::int16_t>(std::numeric_limits<float>::infinity(), "Infinity");
  takes<std::int32_t>(-7.0, -7);
  takes<std::int64_t>(-0x1p63, std::numeric_limits<std::int64_t>::min());
  takes<std::uint64_t>(0x1p63, std::uint64_t{1} << 63);
}

TEST_CASE("a number is rounded to the fractions that the array has, but not to infinity") {
  takes<float>(0.1, 0.1f);
  takes<float>(3, 3.0f);
  takes<float>((1 << 24) + 1, 16777216.0f);
  takes<double>(0.5f, 0.5);
  takes<float>(std::numeric_limits<double>::infinity(), std::numeric_limits<float>::infinity());
  refuses<float>(1e300, "1e+300");
  refuses<float>(-1e39, "-1e+39");
  takes<std::complex<float>>(0.1, {0.1f, 0});
  refuses<std::complex<float>>(1e300, "1e+300");
  auto const array = make<float>();
  array.fill(all, std::numeric_limits<double>::quiet_NaN());
  auto const found = array.read(all)(4);
  CHECK(found != found);
}

TEST_CASE("a value of the array's type, and what is made of braces, is written as it is") {
  takes<float>(0.1f, 0.1f);
  auto const array = make<std::complex<double>>();
  array.fill(all, {1, 2});
  CHECK(array.read(all)(4) == std::complex<double>{1, 2});
}

}  // namespace fill_tests
