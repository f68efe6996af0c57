// Attributes of packed numbers, as in NetCDF and xarray, as a conversion.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/array/convert.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;

namespace {

// The result of reading a number of a type.
template <class T>
double read(T number, Members const& attributes) {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<T, 1>(store, "a", {.shape = {1}, .chunks = {1}, .attributes = attributes});
  array.fill(all, number);
  return read_as<double>(array, all, mask_and_scale(array.attributes()))(0);
}

}  // namespace

TEST_CASE("scale_factor and add_offset; _FillValue and missing_value are NaN") {
  Members const packed{{"scale_factor", 0.5}, {"add_offset", 273}, {"_FillValue", -32768}, {"missing_value", -1}};
  CHECK(read(std::int16_t{4}, packed) == 275);
  CHECK(std::isnan(read(std::int16_t{-32768}, packed)));
  CHECK(std::isnan(read(std::int16_t{-1}, packed)));
  CHECK(read(std::int16_t{4}, {{"scale_factor", 2}}) == 8);
  CHECK(read(std::int16_t{4}, {{"add_offset", {1.5}}}) == 5.5);  // a list of one, as some programs write
  CHECK(read(std::int16_t{4}, {{"units", "K"}}) == 4);
  CHECK(read(std::uint8_t{255}, {{"_FillValue", -1}}) == 255);  // which no element equals
}

TEST_CASE("a list of missing values, and the same one twice") {
  CHECK(std::isnan(read(std::int16_t{8}, {{"missing_value", {7, 8}}})));
  CHECK(std::isnan(read(std::int16_t{7}, {{"_FillValue", 7}, {"missing_value", {7, 8}}})));
  CHECK(read(std::int16_t{9}, {{"missing_value", List{}}}) == 9);
}

TEST_CASE("integers beyond a double's digits") {
  std::int64_t const none = -9223372036854775806;
  CHECK(std::isnan(read(none, {{"_FillValue", none}})));
  CHECK(read(none + 1, {{"_FillValue", none}}) == -0x1p63);
}

TEST_CASE("_FillValue of fractions, as xarray writes it to Zarr v3: base64") {
  CHECK(std::isnan(read(-9999.0F, {{"_FillValue", "AAAAAICHw8A="}})));  // struct.pack("<d", -9999.0)
  CHECK(read(-9998.0F, {{"_FillValue", "AAAAAICHw8A="}}) == -9998);
  CHECK(read(1.5F, {{"_FillValue", "AAAAAAAA+H8="}}) == 1.5);  // NaN, which is NaN anyway
  CHECK(std::isnan(read(std::numeric_limits<float>::quiet_NaN(), {{"_FillValue", "AAAAAAAA+H8="}})));
  CHECK(std::isnan(read(9.969209968386869e36F, {{"_FillValue", 9.969209968386869e36}})));  // a decimal, as in v2
}

TEST_CASE("xarray's missing values of Zarr v2 are its fill value") {
  MemoryStore<HostBuffer> const store;
  Members const packed{{"scale_factor", 0.5}, {"_ARRAY_DIMENSIONS", {"x"}}};
  auto const made = [&](ZarrFormat format, Members const& attributes) {
    auto const array = create_array<std::int16_t, 1>(
        store, "a",
        {.shape = {3}, .chunks = {3}, .fill = -1, .attributes = attributes, .format = format, .overwrite = true});
    array.write(all, std::vector<std::int16_t>{40, -1, 42});
    return array;
  };
  auto const second = [](auto const& array) { return read_as<double>(array, all, mask_and_scale(array))(1); };
  CHECK(std::isnan(second(made(ZarrFormat::v2, packed))));
  CHECK(std::isnan(second(made(ZarrFormat::v2, packed).untyped())));
  // The fill value takes precedence over the attribute.
  CHECK(std::isnan(second(made(ZarrFormat::v2, {{"_ARRAY_DIMENSIONS", {"x"}}, {"_FillValue", 40}}))));
  CHECK(std::isnan(second(made(ZarrFormat::v2, {{"_nczarr_array", Members{}}}))));
  CHECK(second(made(ZarrFormat::v2, {{"scale_factor", 0.5}})) == -0.5);  // xarray does not open it
  CHECK(second(made(ZarrFormat::v3, packed)) == -0.5);
  CHECK(std::isnan(second(made(ZarrFormat::v3, {{"_FillValue", -1}}))));

  made(ZarrFormat::v2, {{"_ARRAY_DIMENSIONS", {"x"}}, {"_FillValue", 40}});
  auto document = test::value(store, "a/.zarray");
  test::put(store, "a/.zarray", document.replace(document.find("-1"), 2, "null"));
  auto const null = open_array<std::int16_t, 1>(store, "a");
  CHECK(null.fill_value() == 0);
  auto const seen = read_as<double>(null, all, mask_and_scale(null));
  CHECK(std::isnan(seen(0)));
  CHECK(seen(1) == -1);
}

TEST_CASE("an attribute _FillValue as xarray reads it") {
  CHECK(fill_value_attribute<float>(std::numeric_limits<float>::quiet_NaN()) == Value{"AAAAAAAA+H8="});
  CHECK(fill_value_attribute(-9999.0) == Value{"AAAAAICHw8A="});
  CHECK(fill_value_attribute<std::int16_t>(-9999) == Value{-9999});
  CHECK(std::isnan(read(-9999.0F, {{"_FillValue", fill_value_attribute<float>(-9999)}})));
}

TEST_CASE("numbers are packed the same way") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<std::int16_t, 1>(
      store, "a",
      {.shape = {3}, .chunks = {2}, .attributes = {{"scale_factor", 0.1}, {"add_offset", 20}, {"_FillValue", -9}}});
  write_as(array, all, std::vector{20.5, std::nan(""), 19.0}, mask_and_scale(array.attributes()));
  auto const stored = array.read(all);
  CHECK(std::vector<int>(stored.begin(), stored.end()) == std::vector<int>{5, -9, -10});
}

TEST_CASE("attributes that are no numbers, or would be ignored") {
  auto const refused = [](Members const& attributes, char const* said) {
    test::check_refused<MetadataError>([&] { mask_and_scale(attributes); }, {said});
  };
  refused({{"scale_factor", "0.5"}}, "member \"scale_factor\": found \"0.5\", expected a number");
  refused({{"scale_factor", {0.5, 1}}}, "member \"scale_factor\": found 2 numbers, expected one");
  refused({{"_FillValue", "none"}}, "member \"_FillValue\": found \"none\", expected a number");
  refused({{"missing_value", "AAAAAICHw8A="}}, "member \"missing_value\": found \"AAAAAICHw8A=\", expected a number");
  refused({{"missing_value", {1, 2, 3}}}, "found 3 numbers, expected at most two");
  refused({{"_Unsigned", "true"}}, "\"_Unsigned\" is not supported");
}
