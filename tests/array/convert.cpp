// Arrays read into numbers of another type and written from them, against conversion element by element.
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <support/random_array.hpp>
#include <support/refused.hpp>
#include <tessera/array/convert.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;
using test::Random;

namespace {

using InMemory = MemoryStore<HostBuffer>;
using codec::Bytes, codec::Sharding, codec::Transpose, codec::Zstd;
template <class... Stages>
using OnHost = Pipeline<space::Host, Stages...>;

// What a number should become: nothing, if it does not fit.
template <class To, class From>
std::optional<To> expected_as(From from, double scale, double offset, bool to_array) {
  bool const is_same = scale == 1 && offset == 0;
  if constexpr (std::is_integral_v<From> && std::is_integral_v<To>)
    if (is_same) return std::in_range<To>(from) ? std::optional<To>{static_cast<To>(from)} : std::nullopt;
  auto number = static_cast<double>(from);
  if (!is_same) number = to_array ? (number - offset) / scale : number * scale + offset;
  if constexpr (std::is_integral_v<To>) {
    auto const whole = std::nearbyint(number);
    auto const beyond = std::ldexp(1.0, std::numeric_limits<To>::digits);
    auto const lowest = std::is_signed_v<To> ? -beyond : 0.0;
    return whole >= lowest && whole < beyond ? std::optional<To>{static_cast<To>(whole)} : std::nullopt;
  } else if constexpr (std::is_integral_v<From> && !std::is_same_v<To, float16>) {
    return is_same ? static_cast<To>(from) : static_cast<To>(number);
  } else {
    auto const to = static_cast<To>(number);
    return std::isinf(double(to)) && !std::isinf(number) ? std::nullopt : std::optional<To>{to};
  }
}

template <class T>
T random_number(Random& random) {
  if constexpr (std::is_same_v<T, float16>)
    return float16{static_cast<int>(random(0, 4000)) - 2000};
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(random(0, 0xffff) << (random(0, 3) * 16));
  else
    return static_cast<T>((static_cast<double>(random(0, 1000000)) - 500000) / 8);
}

template <class A, class B>
bool is_equal(A a, B b) {
  return a == b || (a != a && b != b);
}

template <class Program, class T, class P>
void check_reads(Random& random, P const& pipeline, bool saturates) {
  Extents const shape{9, 14};
  double const scale = random.one_in(2) ? 1 : 0.375, offset = scale == 1 ? 0 : -12.5;
  CAPTURE(data_type_of<T>().name());
  CAPTURE(data_type_of<Program>().name());
  CAPTURE(scale);
  auto const array = create_array<T, 2>(InMemory{}, "a", {.shape = shape, .chunk_shape = {4, 6}, .fill = T(5)},
                                        pipeline, Queue<space::Host>{random(1, 3)});
  std::vector<T> whole(9 * 14, T(5));
  for (std::size_t i = 0; i < 8 * 14; ++i) whole[i] = random_number<T>(random);
  array.write({{0, 8}, all}, std::span<T const>{whole}.first(8 * 14));  // the chunks of the last row are missing

  std::uint64_t const r = random(0, 8), c = random(0, 13), rows = random(1, 9 - r), columns = random(1, 14 - c);
  std::vector<Program> found(rows * columns);
  auto const outcome = saturates ? OutOfRange::saturate : OutOfRange::refuse;
  bool is_refused = false, must_be_refused = false;
  try {
    read_as(array, {{r, r + rows}, {c, c + columns}}, found, {scale, offset, outcome});
  } catch (ConversionError const&) {
    is_refused = true;
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto const number = whole[(r + i / columns) * 14 + c + i % columns];
    auto const expected = expected_as<Program>(number, scale, offset, false);
    if (expected)
      wrong += !is_equal(found[i], *expected);
    else if (saturates)
      wrong += found[i] != std::numeric_limits<Program>::max() && found[i] != std::numeric_limits<Program>::lowest();
    else
      must_be_refused = true;
  }
  CHECK(is_refused == must_be_refused);
  CHECK(wrong == 0);
}

template <class Program, class T, class P>
void check_writes(Random& random, P const& pipeline) {
  double const scale = random.one_in(2) ? 1 : 0.25, offset = scale == 1 ? 0 : 3;
  CAPTURE(data_type_of<T>().name());
  CAPTURE(data_type_of<Program>().name());
  CAPTURE(scale);
  auto const array = create_array<T, 2>(InMemory{}, "a", {.shape = {9, 14}, .chunk_shape = {4, 6}, .fill = T(5)},
                                        pipeline, Queue<space::Host>{random(1, 3)});
  auto expected = std::vector<T>(9 * 14);
  for (auto& number : expected) number = random_number<T>(random);
  array.write(all, expected);
  std::uint64_t const r = random(0, 8), c = random(0, 13), rows = random(1, 9 - r), columns = random(1, 14 - c);
  std::vector<Program> given(rows * columns);
  bool must_be_refused = false;
  auto const before = expected;
  for (std::size_t i = 0; i < given.size(); ++i) {
    given[i] = random_number<Program>(random);
    auto const number = expected_as<T>(given[i], scale, offset, true);
    must_be_refused |= !number;
    if (number) expected[(r + i / columns) * 14 + c + i % columns] = *number;
  }
  // Memory of other strides: the transposed.
  std::vector<Program> turned(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) turned[i % columns * rows + i / columns] = given[i];
  ArrayView<Program const, 2> const view{turned.data(), {rows, columns}, {1, static_cast<std::int64_t>(rows)}};
  bool is_refused = false;
  try {
    if (random.one_in(2))
      write_as(array, {{r, r + rows}, {c, c + columns}}, view, {scale, offset});
    else
      write_as(array, {{r, r + rows}, {c, c + columns}}, given, {scale, offset});
  } catch (ConversionError const&) {
    is_refused = true;
  }
  CHECK(is_refused == must_be_refused);
  auto const found = array.read(all);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    wrong += !is_equal(found.data()[i], must_be_refused ? before[i] : expected[i]);
  CHECK(wrong == 0);
}

template <class Program, class T>
void check_pair() {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    Random random{seed};
    for (bool const saturates : {false, true})
      check_reads<Program, T>(random, OnHost<Transpose, Bytes, Zstd>{Transpose{{1, 0}}, Bytes{std::endian::big}, {}},
                              saturates);
    check_writes<Program, T>(random, OnHost<Transpose, Bytes, Zstd>{Transpose{{1, 0}}, Bytes{std::endian::big}, {}});
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
  Random random{11};
  for (int round = 0; round < 8; ++round) {
    check_reads<float, std::uint16_t>(random, OnHost<Bytes>{Bytes{std::endian::big}}, false);
    check_reads<std::uint8_t, std::int16_t>(random, OnHost<Bytes>{}, round % 2 == 0);
  }
}

TEST_CASE("inside shards") {
  using Inner = OnHost<Bytes, Zstd>;
  Random random{7};
  for (int round = 0; round < 8; ++round) {
    check_reads<float, std::uint16_t>(random, OnHost<Sharding<Inner>>{Sharding<Inner>{.chunk_shape = {2, 3}}}, false);
    check_writes<float, std::uint16_t>(random, OnHost<Sharding<Inner>>{Sharding<Inner>{.chunk_shape = {2, 3}}});
  }
}

TEST_CASE("the bounds, not-a-number and infinity") {
  auto const huge = std::numeric_limits<double>::infinity(), none = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> const values{-0.5, 255.49, 255.5, -0.51, none, huge, -huge, 0.5, 1.5, 4503599627370495.5};
  auto const array =
      create_array<double, 1>(InMemory{}, "a", {.shape = {values.size()}, .chunk_shape = {4}, .fill = none});
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
  // What is not selected, and what is beyond the border, does not matter.
  CHECK(read_as<std::uint8_t>(array, {{0, 2}})(1) == 255);
  CHECK(read_as<std::uint8_t>(array, Points{std::vector{8, 7}}).size() == 2);

  auto const few = create_array<std::uint8_t, 1>(InMemory{}, "b", {.shape = {4}, .chunk_shape = {2}, .fill = 9});
  std::vector<int> const given{1, 2, 3, 256};
  test::check_refused<ConversionError>([&] { write_as(few, all, given); }, {"\"b\"", "element [3] of the selection is 256", "uint8"});
  CHECK(few.read(all)(0) == 9);  // nothing is written
  write_as(few, all, given, {.out_of_range = OutOfRange::saturate});
  CHECK(few.read(all)(3) == 255);
}

TEST_CASE("a finite number that is infinite when it is worked out does not fit") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<double, 1>(store, "a", {.shape = {2}, .chunk_shape = {2}});
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
      InMemory{}, "a", {.shape = {40, 1 << 20}, .chunk_shape = {3, 1 << 20}, .fill = 1}, OnHost<Bytes, Zstd>{});
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
  create_array<std::int16_t, 2>(store, "a", {.shape = {2, 3}, .chunk_shape = {2, 2}})
      .write(all, std::vector<std::int16_t>{1, 2, 3, 4, 5, 6});
  auto const found = read_as<float>(open_any(store, "a"), {{1, 2}, all}, {.scale = 0.5});
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(found.elements()[0])>, float>);
  CHECK(found.shape() == Extents{1, 3});
  CHECK(std::vector<float>(found.elements().begin(), found.elements().end()) == std::vector<float>{2, 2.5F, 3});
  visit<RealTypes>(open_any(store, "a"), [](auto const& typed) { CHECK(read_as<double>(typed, all).size() == 6); });
  create_array<bool, 1>(store, "b", {.shape = {2}, .chunk_shape = {2}});
  test::check_refused<MetadataError>([&] { read_as<float>(open_any(store, "b"), all); }, {"\"b/zarr.json\"", "bool"});
}
