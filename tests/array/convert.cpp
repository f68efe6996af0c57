// Arrays read into numbers of another type and written from them, against conversion element by element.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <support/converted_arrays.hpp>
#include <support/refused.hpp>
#include <tessera/array/convert.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;
using test::Random;

namespace array_converted {
namespace {

using InMemory = MemoryStore<HostBuffer>;
using codec::Bytes, codec::Sharding, codec::Transpose, codec::Zstd;
template <class... Stages>
using OnHost = Pipeline<space::Host, Stages...>;

template <class Program, class T, class P>
void check(std::uint64_t seed, P const& pipeline) {
  CAPTURE(seed);
  Random random{seed};
  test::check_conversion<Program, T, test::HostMemory>(
      random, [&](Extents const& shape, Extents const& chunk_shape, T fill) {
        return create_array<T, 2>(InMemory{}, "a", {.shape = shape, .chunks = chunk_shape, .fill = fill}, pipeline,
                                  Queue<space::Host>{random(1, 3)});
      });
}

template <class Program, class T>
void check_pair() {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    auto const order = seed % 2 == 0 ? std::endian::big : std::endian::little;
    Extents const axes = seed % 3 == 0 ? Extents{0, 1} : Extents{1, 0};
    check<Program, T>(seed, OnHost<Transpose, Bytes, Zstd>{Transpose{axes}, Bytes{order}, {}});
  }
}

}  // namespace

TEST_CASE("what an instrument writes as a program computes with it") {
  check_pair<float, std::uint16_t>();
  check_pair<float, std::int64_t>();
  check_pair<float, float16>();
  check_pair<float16, float>();
  check_pair<double, float>();
  check_pair<float, double>();
}
TEST_CASE("into integers: to the nearest, if it fits") {
  check_pair<std::uint8_t, std::int16_t>();
  check_pair<std::int32_t, std::uint64_t>();
  check_pair<std::uint64_t, std::int64_t>();
  check_pair<std::uint16_t, double>();
  check_pair<std::int64_t, double>();
  check_pair<std::int8_t, float16>();
}

TEST_CASE("chunks that are stored as they are") {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    check<float, std::uint16_t>(seed, OnHost<Bytes>{Bytes{std::endian::big}});
    check<std::uint8_t, std::int16_t>(seed, OnHost<Bytes>{});
    check<float, std::int32_t>(seed, OnHost<Bytes>{});  // of the same size, but not decoded into the memory
  }
}

TEST_CASE("inside shards") {
  using Inner = OnHost<Bytes, Zstd>;
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    check<float, std::uint16_t>(seed, OnHost<Sharding<Inner>>{Sharding<Inner>{.chunk_shape = {2, 3}}});
}

TEST_CASE("the bounds, not-a-number and infinity") {
  auto const huge = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> const values{-0.5, 255.49, 255.5, -0.51, none, huge, -huge, 0.5, 1.5, 4503599627370495.5};
  auto const array =
      create_array<double, 1>(InMemory{}, "a", {.shape = {values.size()}, .chunks = {4}, .fill = none});
  array.write(all, values);
  auto const bytes = read_as<std::uint8_t>(array, all, {.out_of_range = OutOfRange::saturate});
  CHECK(std::vector<int>(bytes.elements().begin(), bytes.elements().end()) ==
        std::vector<int>{0, 255, 255, 0, 0, 255, 0, 0, 2, 255});
  CHECK(read_as<std::int64_t>(array, {9})(0) == 4503599627370496);
  CHECK(read_as<float>(array, {5})(0) == std::numeric_limits<float>::infinity());
  CHECK(std::isnan(float(read_as<float16>(array, {4})(0))));
  test::check_refused<ConversionError>(
      [&] {
        read_as<std::uint8_t>(array, {{1, 10}});
      },
      {"\"a\"", "element [1] of the selection is 255.5", "does not fit in uint8"});
  test::check_refused<ConversionError>(
      [&] {
        read_as<std::uint8_t>(array, {{3, 5}}, {.offset = 1});
      },
      {"element [1] of the selection is NaN", "with scale and offset does not fit in uint8"});
  // Elements outside the selection or the array do not matter.
  CHECK(read_as<std::uint8_t>(array, {{0, 2}})(1) == 255);
  CHECK(read_as<std::uint8_t>(array, Points{std::vector{8, 7}}).size() == 2);

  auto const few = create_array<std::uint8_t, 1>(InMemory{}, "b", {.shape = {4}, .chunks = {2}, .fill = 9});
  std::vector<int> const given{1, 2, 3, 256};
  test::check_refused<ConversionError>([&] { write_as(few, all, given); },
                                       {"\"b\"", "element [3] of the selection is 256", "uint8"});
  CHECK(few.read(all)(0) == 9);  // nothing is written
  write_as(few, all, given, {.out_of_range = OutOfRange::saturate});
  CHECK(few.read(all)(3) == 255);
}

TEST_CASE("a finite number that is infinite when it is worked out does not fit") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<double, 1>(store, "a", {.shape = {2}, .chunks = {2}});
  auto const infinity = std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::max();
  array.write(all, std::vector{-1e308, infinity});
  CHECK(read_as<double>(array, {{1, 2}}, {.scale = 10})(0) == infinity);
  CHECK_THROWS_AS(read_as<double>(array, all, {.scale = 10}), ConversionError);
  CHECK(read_as<double>(array, all, {.scale = 10, .out_of_range = OutOfRange::saturate})(0) == -most);
  CHECK(read_as<float>(array, all, {.scale = 10, .out_of_range = OutOfRange::saturate})(0) ==
        std::numeric_limits<float>::lowest());
  CHECK_THROWS_AS(write_as(array, all, std::vector{1.0, 2.0}, {.scale = 0}), ConversionError);
  CHECK(array.read(all)(0) == -1e308);
}

TEST_CASE("parts of 16 MiB end where chunks end, whatever the steps are") {
  auto const array = create_array<std::uint8_t, 2>(
      InMemory{}, "a", {.shape = {40, 1 << 20}, .chunks = {3, 1 << 20}, .fill = 1}, OnHost<Bytes, Zstd>{});
  std::vector<std::uint16_t> values(20 << 20);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(i / 1000 % 251);
  write_as(array, {{1, 40, 2}, all}, values);
  std::vector<std::uint16_t> found(values.size());
  read_as(array, {{1, 40, 2}, all}, found);
  CHECK(found == values);
  CHECK(array.read({{0, 40, 2}, 5})(3, 0) == 1);
  values.back() = 300;
  test::check_refused<ConversionError>(
      [&] {
        write_as(array, {{1, 40, 2}, all}, values);
      },
      {"element [19, 1048575] of the selection is 300"});
}

TEST_CASE("whatever the type and the number of dimensions are") {
  MemoryStore<HostBuffer> const store;
  create_array<std::int16_t, 2>(store, "a", {.shape = {2, 3}, .chunks = {2, 2}})
      .write(all, std::vector<std::int16_t>{1, 2, 3, 4, 5, 6});
  auto const found = read_as<float>(open_any(store, "a"), {{1, 2}, all}, {.scale = 0.5});
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(found.elements()[0])>, float>);
  CHECK(found.shape() == Extents{1, 3});
  CHECK(std::vector<float>(found.elements().begin(), found.elements().end()) == std::vector<float>{2, 2.5F, 3});
  visit<RealTypes>(open_any(store, "a"), [](auto const& typed) { CHECK(read_as<double>(typed, all).size() == 6); });
  create_array<bool, 1>(store, "b", {.shape = {2}, .chunks = {2}});
  test::check_refused<MetadataError>([&] { read_as<float>(open_any(store, "b"), all); }, {"\"b/zarr.json\"", "bool"});
}

TEST_CASE("a number that means that there is none is NaN, and NaN is written as that number") {
  MemoryStore<HostBuffer> const store;
  auto const array =
      create_array<std::int16_t, 1>(store, "a", {.shape = {6}, .chunks = {2}, .fill = -9999});
  Conversion const packed{.scale = 0.5, .offset = 10, .missing = {-9999, -1}};
  auto const none = std::numeric_limits<float>::quiet_NaN();
  write_as(array, {{0, 4}}, std::vector{10.0F, none, 11.0F, 9.5F}, packed);
  auto const stored = array.read(all);
  CHECK(std::vector<int>(stored.begin(), stored.end()) == std::vector<int>{0, -9999, 2, -1, -9999, -9999});
  auto const found = read_as<float>(array, all, packed);
  CHECK(found(0) == 10);
  CHECK(std::isnan(found(1)));
  CHECK(found(2) == 11);
  CHECK(std::isnan(found(3)));  // the second number
  CHECK(std::isnan(found(4)));  // the fill value of a chunk, and of a missing chunk
  CHECK(std::isnan(found(5)));
  CHECK(std::isnan(float(read_as<float16>(open_any(store, "a"), {4}, {.missing = -9999})(0))));
}

TEST_CASE("numbers of 64 bits are missing digit by digit, and what is missing need not fit") {
  MemoryStore<HostBuffer> const store;
  std::int64_t const none = -9223372036854775806;  // as in NetCDF: not a double
  auto const array = create_array<std::int64_t, 1>(store, "a", {.shape = {2}, .chunks = {2}});
  array.write(all, std::vector<std::int64_t>{none, none + 1});
  auto const found = read_as<double>(array, all, {.missing = none});
  CHECK(std::isnan(found(0)));
  CHECK(found(1) == -0x1p63);
  CHECK(std::isnan(float(read_as<float16>(array, {0}, {.missing = none})(0))));
  CHECK_THROWS_AS(read_as<float16>(array, {1}, {.missing = none}), ConversionError);
  auto const large = create_array<std::uint64_t, 1>(store, "b", {.shape = {2}, .chunks = {2}});
  large.write(all, std::vector{~std::uint64_t{0}, ~std::uint64_t{1}});
  CHECK(std::isnan(read_as<float>(large, all, {.missing = ~std::uint64_t{0}})(0)));
  CHECK(read_as<float>(large, all, {.missing = ~std::uint64_t{0}})(1) == 0x1p64F);
}

TEST_CASE("a number that the array cannot have is missing nowhere; integers have none for what is missing") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<std::uint8_t, 1>(store, "a", {.shape = {2}, .chunks = {2}, .fill = 241});
  CHECK(read_as<float>(array, {0}, {.missing = -9999})(0) == 241);
  CHECK(read_as<float>(array, {0}, {.missing = -15})(0) == 241);  // keeps its bits
  CHECK(read_as<float>(array, {0}, {.missing = 241.5})(0) == 241);
  CHECK(std::isnan(read_as<float>(array, {0}, {.missing = {241.5, 241}})(0)));
  test::check_refused<ConversionError>([&] { read_as<int>(array, all, {.missing = 241}); },
                                       {"\"a\"", "missing numbers are read as NaN, which int32 cannot represent"});
  std::vector<int> memory(2);
  test::check_refused<ConversionError>([&] { read_as(array, all, memory, {.missing = 241}); }, {"int32"});
  write_as(array, all, std::vector{1, 241}, {.missing = 241});  // integers have no missing value
  CHECK(array.read(all)(1) == 241);
  write_as(array, {0}, std::vector{std::numeric_limits<double>::quiet_NaN()}, {.missing = 7});
  CHECK(array.read(all)(0) == 7);
  CHECK_THROWS_AS(write_as(array, {0}, std::vector{std::nan("")}, {.missing = 256}), ConversionError);
}

TEST_CASE("a fraction in a document is the nearest that the array has") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<float, 1>(store, "a", {.shape = {2}, .chunks = {2}, .fill = 1e20F});
  CHECK(std::isnan(read_as<double>(array, {0}, {.missing = 1e20})(0)));
  CHECK(std::isnan(read_as<float>(array, {0}, {.missing = 1e20F})(0)));  // of the same type, too
  CHECK(read_as<float>(array, {0}, {.missing = std::nan("")})(0) == 1e20F);
}

TEST_CASE("numbers of another type are appended") {
  InMemory const store;
  auto const array = create_array<std::int16_t, 2>(
      store, "a", {.shape = {1, 3}, .chunks = {2, 2}, .fill = -1, .attributes = {{"scale_factor", 0.5}}});
  append_as(array, std::vector<int>{1, 2, 3, 4, 5, 6});
  CHECK(array.shape() == Extents{3, 3});
  CHECK(array.read(all)(2, 2) == 6);
  append_as(array, std::vector<double>{1.5, 2, std::nan("")}, {.scale = 0.5, .missing = -1});
  CHECK(array.read(all)(3, 0) == 3);
  CHECK(array.read(all)(3, 2) == -1);
  append_as(array, std::vector<float>{1, 2, 3, 40000}, 1, {.out_of_range = OutOfRange::saturate});
  CHECK(array.shape() == Extents{4, 4});
  CHECK(array.read(all)(3, 3) == 32767);
  test::check_refused<ConversionError>([&] { append_as(array, std::vector<int>{1, 2, 3, 40000}); },
                                       {"\"a\"", "element [0, 3] of the selection is 40000", "int16"});
  test::check_refused<SelectionError>([&] { append_as(array, std::vector<int>{1, 2, 3}); },
                                      {"expected a multiple of 4"});
  CHECK(array.shape() == Extents{4, 4});  // nothing is written
}

}  // namespace array_converted
