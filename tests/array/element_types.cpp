// Elements other than plain numbers, from a program's types to chunks and back: times, small numbers, fixed text,
// structs (DTYPE-07..15, 19..23, G-23, G-24, G-26).
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/bytes.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/array/visit.hpp>
#include <tessera/core/types/fixed_text.hpp>
#include <tessera/core/types/record.hpp>
#include <tessera/core/types/small_numbers.hpp>
#include <tessera/core/types/times.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;
using test::check_refused;

namespace element_type_tests {

struct Point {
  float x, y;
  friend bool operator==(Point, Point) = default;
};
struct __attribute__((packed)) Sample {
  std::int32_t id;
  std::uint8_t flags;
  double value;
  Point point;
  friend bool operator==(Sample const& a, Sample const& b) {
    return a.id == b.id && a.flags == b.flags && a.value == b.value && a.point == b.point;
  }
};
struct Padded {
  std::uint8_t a;
  std::uint8_t hole[3];  // not a field; a compiler's own padding need not be copied
  std::int32_t b;
  friend bool operator==(Padded, Padded) = default;
};

}  // namespace element_type_tests

using element_type_tests::Padded;
using element_type_tests::Point;
using element_type_tests::Sample;
template <>
struct tessera::element_traits<Point>
    : tessera::record<Point, tessera::member<"x", &Point::x>, tessera::member<"y", &Point::y>> {};
template <>
struct tessera::element_traits<Sample>
    : tessera::record<Sample, tessera::member<"id", &Sample::id>, tessera::member<"flags", &Sample::flags>,
                      tessera::member<"value", &Sample::value>, tessera::member<"point", &Sample::point>> {};
template <>
struct tessera::element_traits<Padded>
    : tessera::record<Padded, tessera::member<"a", &Padded::a>, tessera::member<"b", &Padded::b>> {};

namespace element_type_tests {
namespace {

using Memory = MemoryStore<HostBuffer>;
using Known = Codecs<codec::Transpose, codec::Bytes>;

// Writes five elements: two chunks of two are present and one chunk in part; returns the document.
template <class T>
Members check_type(std::vector<T> const& four, T const& fill, std::string_view chunk, std::endian order,
                 ZarrFormat format) {
  Memory const store;
  auto const array = create_array<T, 1>(
      store, "a", {.shape = {7}, .chunks = {2}, .fill = fill, .format = format},
      Pipeline<space::Host, codec::Bytes>{codec::Bytes{order}});
  array.write({{0, 3}}, std::vector<T>{four.begin(), four.begin() + 3});
  array.write({{6, 7}}, std::vector<T>{four[3]});
  std::vector<T> const expected{four[0], four[1], four[2], fill, fill, fill, four[3]};
  auto const opened = open_array<T, 1, Known>(store, "a");
  CHECK(opened.fill_value() == fill);
  auto const found = opened.read(all);
  CHECK(std::ranges::equal(found.elements(), expected));
  auto const picked = opened.read(Points{std::vector{6, 0, 4, 1}});  // scattered
  CHECK(picked.elements()[0] == four[3]);
  CHECK(picked.elements()[2] == fill);
  CHECK(picked.elements()[3] == four[1]);
  auto const key = format == ZarrFormat::v3 ? "a/c/0" : "a/0";
  auto const stored = test::value(store, key);
  auto const bytes = std::as_bytes(std::span{stored});
  CHECK(test::Bytes{bytes.begin(), bytes.end()} == test::hex(chunk));
  return parse_json(test::value(store, format == ZarrFormat::v3 ? "a/zarr.json" : "a/.zarray")).template as<Members>();
}
template <class T>
void check_type(std::vector<T> const& four, T const& fill, std::string_view little, std::string_view big,
                std::string_view type, std::string_view fill_value, std::string_view numpy_little,
                std::string_view numpy_big) {
  for (auto const order : {std::endian::little, std::endian::big}) {
    auto const& chunk = order == std::endian::little ? little : big;
    auto const v3 = check_type(four, fill, chunk, order, ZarrFormat::v3);
    CHECK(to_json(v3.at("data_type")) == to_json(parse_json(type)));
    CHECK(to_json(v3.at("fill_value")) == to_json(parse_json(fill_value)));
    if (numpy_little.empty()) continue;
    auto const v2 = check_type(four, fill, chunk, order, ZarrFormat::v2);
    CHECK(to_json(v2.at("dtype")) ==
          to_json(parse_json(order == std::endian::little || numpy_big.empty() ? numpy_little : numpy_big)));
  }
}

}  // namespace

TEST_CASE("times are those of <chrono>, or numbers of any unit (DTYPE-20, V2-11, G-26)") {
  using std::chrono::milliseconds;
  check_type<milliseconds>({milliseconds{1}, milliseconds{-2}, milliseconds{3}, nat<milliseconds>}, nat<milliseconds>,
                           "0100000000000000 feffffffffffffff", "0000000000000001 fffffffffffffffe",
                           R"({"name": "numpy.timedelta64", "configuration": {"unit": "ms", "scale_factor": 1}})",
                           "-9223372036854775808", "\"<m8[ms]\"", "\">m8[ms]\"");
  using Moment = std::chrono::sys_time<std::chrono::nanoseconds>;
  using std::chrono::nanoseconds;
  check_type<Moment>({Moment{nanoseconds{256}}, Moment{}, Moment{}, nat<Moment>}, Moment{nanoseconds{7}},
                     "0001000000000000 0000000000000000", "0000000000000100 0000000000000000",
                     R"({"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 1}})", "7",
                     "\"<M8[ns]\"", "\">M8[ns]\"");
  using Months = datetime64<TimeUnit::month, 3>;
  check_type<Months>({Months{1}, Months{2}, Months{3}, Months{4}}, Months{-1}, "0100000000000000 0200000000000000",
                     "0000000000000001 0000000000000002",
                     R"({"name": "numpy.datetime64", "configuration": {"unit": "M", "scale_factor": 3}})", "-1",
                     "\"<M8[3M]\"", "\">M8[3M]\"");
  static_assert(data_type_of<std::chrono::days>() == data_type_of<timedelta64<TimeUnit::day>>());
  static_assert(data_type_of<std::chrono::duration<std::int64_t, std::ratio<1, 100>>>() ==
                data_type_of<timedelta64<TimeUnit::millisecond, 10>>());
  CHECK(is_nat(nat<Months>));
  CHECK_FALSE(is_nat(Months{0}));
}

TEST_CASE("small numbers are their bits (DTYPE-07..15, V2-17, G-17)") {
  using B = bfloat16_bits;
  check_type<B>({B{0x3f80}, B{0x4000}, B{0x7f80}, B{0}}, B{0x7fc0}, "803f 0040", "3f80 4000", R"("bfloat16")",
                R"("NaN")", "", "");
  using E = float8_e5m2_bits;
  check_type<E>({E{0x3c}, E{0x40}, E{0x7c}, E{0}}, E{0xfc}, "3c40", "3c40", R"("float8_e5m2")", R"("-Infinity")",
                R"("float8_e5m2")", "");
  using C = complex_bits<B>;
  check_type<C>({C{{0x3f80}, {0}}, C{}, C{}, C{{1}, {2}}}, C{{0x3f80}, {0xbf80}}, "803f0000 00000000",
                "3f800000 00000000", R"("complex_bfloat16")", "[1.0, -1.0]", "", "");
  using H = complex_bits<float16_bits>;
  check_type<H>({H{{0x3c00}, {0}}, H{}, H{}, H{}}, H{{0x3c00}, {0xbc00}}, "003c0000 00000000", "3c000000 00000000",
                R"("complex_float16")", "[1.0, -1.0]", "", "");
  using I = int4_bits;
  check_type<I>({I{-8}, I{7}, I{0}, I{-1}}, I{-3}, "f807", "f807", R"("int4")", "-3", R"("int4")", "");
  CHECK(int(I{-8}) == -8);
  CHECK(int(uint4_bits{15}) == 15);
  I upper;
  upper.bits = 0x2f;  // its upper bits are ignored
  CHECK(int(upper) == -1);
  CHECK(float(B{0x4049}) == 3.140625f);
  CHECK(float(float8_e4m3fn_bits{0x7e}) == 448.f);
  CHECK(float(float8_e8m0fnu_bits{0x7f}) == 1.f);
  CHECK(float(float4_e2m1fn_bits{0xff}) == -6.f);
  CHECK(float(float8_e5m2_bits{0xfc}) == -std::numeric_limits<float>::infinity());
  for (auto const nan : {float(float8_e4m3fnuz_bits{0x80}), float(float8_e4m3fn_bits{0xff}), float(E{0x7d})})
    CHECK(nan != nan);
}

TEST_CASE("text of a fixed room (DTYPE-19, DTYPE-23, V2-08, V2-09, G-44)") {
  using U = Utf32<2>;
  check_type<U>({U{U"a"}, U{U"bc"}, U{U"\U0001f600"}, U{}}, U{U"é"}, "6100000000000000 6200000063000000",
                "0000006100000000 0000006200000063",
                R"({"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}})", R"("é")", "\"<U2\"",
                "\">U2\"");
  using S = FixedString<3>;
  check_type<S>({S{"a"}, S{"bcd"}, S{}, S{"e"}}, S{"xy"}, "610000 626364", "610000 626364",
                R"({"name": "null_terminated_bytes", "configuration": {"length_bytes": 3}})", R"("eHk=")", "\"|S3\"", "");
  CHECK(U{std::string_view{"é"}}.view() == U"é");
  CHECK(U{U"é"}.utf8() == "é");
  CHECK(S{"bcd"}.view() == "bcd");
  check_refused<Error>([] { S{"abcd"}; }, {"4 bytes", "at most 3"});
  check_refused<Error>([] { U{U"abc"}; }, {"3 code points", "at most 2"});
  check_refused<Error>([] { U{std::string_view{"abc"}}; }, {"more than 2 code points"});
  check_refused<Error>([] { U{std::string_view{"\xff"}}; }, {"not UTF-8"});
}

TEST_CASE("a struct is a program's own, in either byte order (DTYPE-21, CODEC-BYTES-06, V2-14, V2-16, G-24)") {
  Sample const one{1, 2, 3.0, {1, -1}}, other{-1, 255, 0.5, {0, 2}}, fill{7, 8, 9.0, {10, 11}};
  check_type<Sample>({one, other, one, other}, fill,
                     "01000000 02 0000000000000840 0000803f 000080bf ffffffff ff 000000000000e03f 00000000 00000040",
                     "00000001 02 4008000000000000 3f800000 bf800000 ffffffff ff 3fe0000000000000 00000000 40000000",
                     R"({"name": "struct", "configuration": {"fields": [
                        {"name": "id", "data_type": "int32"}, {"name": "flags", "data_type": "uint8"},
                        {"name": "value", "data_type": "float64"}, {"name": "point", "data_type": {"name": "struct",
                        "configuration": {"fields": [{"name": "x", "data_type": "float32"},
                                                     {"name": "y", "data_type": "float32"}]}}}]}})",
                     R"({"id": 7, "flags": 8, "value": 9.0, "point": {"x": 10.0, "y": 11.0}})",
                     R"([["id", "<i4"], ["flags", "|u1"], ["value", "<f8"], ["point", [["x", "<f4"], ["y", "<f4"]]]])",
                     R"([["id", ">i4"], ["flags", "|u1"], ["value", ">f8"], ["point", [["x", ">f4"], ["y", ">f4"]]]])");
}

TEST_CASE("a struct is written as zarr-python 3.1 reads it, if the program asks for that") {
  Memory const store;
  Sample const one{1, 2, 3.0, {4, 5}}, fill{7, 8, 9.0, {10, 11}};
  auto const array = create_array<Sample, 1>(
      store, "a", {.shape = {2}, .chunks = {2}, .fill = fill, .structured = true},
      Pipeline<space::Host, codec::Bytes>{});
  auto const members = parse_json(test::value(store, "a/zarr.json")).as<Members>();
  CHECK(to_json(members.at("data_type")) ==  // from zarr-python 3.1.6, which does not know "struct"
        to_json(parse_json(R"({"name": "structured", "configuration": {"fields": [
          ["id", "int32"], ["flags", "uint8"], ["value", "float64"], ["point", {"name": "structured",
          "configuration": {"fields": [["x", "float32"], ["y", "float32"]]}}]]}})")));
  CHECK(to_json(members.at("fill_value")) == R"("BwAAAAgAAAAAAAAiQAAAIEEAADBB")");
  array.write({0}, std::vector{one});
  auto const opened = open_array<Sample, 1, Known>(store, "a");
  auto const found = opened.read(all);
  CHECK(std::ranges::equal(found.elements(), std::vector{one, fill}));
  CHECK(opened.fill_value() == fill);

  create_array<Sample, 1>(store, "struct", {.shape = {2}, .chunks = {2}});
  CHECK(test::value(store, "struct/zarr.json").find("\"structured\"") == std::string::npos);
  // For other elements, and in v2, it has no meaning.
  create_array<double, 1>(store, "b", {.shape = {2}, .chunks = {2}, .fill = 1.5, .structured = true});
  CHECK(open_array<double, 1, Known>(store, "b").fill_value() == 1.5);
  create_array<Sample, 1>(store, "c",
                          {.shape = {2}, .chunks = {2}, .fill = fill, .format = ZarrFormat::v2, .structured = true});
  CHECK(open_array<Sample, 1, Known>(store, "c").fill_value() == fill);
}

TEST_CASE("a struct has the holes that a document of Zarr v2 has (V2-15, G-42)") {
  Padded const one{1, {7, 8, 9}, 2}, fill{3, {}, 4};
  auto const v2 = check_type<Padded>({one, one, one, one}, fill, "01070809 02000000 01070809 02000000",
                                     std::endian::little, ZarrFormat::v2);
  CHECK(to_json(v2.at("dtype")) == to_json(parse_json(R"([["a", "|u1"], ["", "|V3"], ["b", "<i4"]])")));
  check_type<Padded>({one, one, one, one}, fill, "01070809 00000002 01070809 00000002", std::endian::big,
                     ZarrFormat::v2);
  check_refused<MetadataError>(
      [&] {
        check_type<Padded>({one, one, one, one}, {}, "", std::endian::little, ZarrFormat::v3);
      },
      {"key \"a/zarr.json\"", "no gaps"});
}

TEST_CASE("a struct of other fields is refused, and both are described") {
  Memory const store;
  create_array<Sample, 1>(store, "a", {.shape = {2}, .chunks = {2}});
  check_refused<MetadataError>([&] { open_array<Point, 1, Known>(store, "a"); },
                               {"key \"a/zarr.json\"", "member data_type", "id: int32, flags: uint8, value: float64",
                                "point: {x: float32, y: float32}", "expected x: float32, y: float32"});
  check_refused<MetadataError>([&] { open_array<double, 1, Known>(store, "a"); }, {"struct[21]", "float64"});
  check_refused<MetadataError>([&] { open_any<Known>(store, "a").fill_value<Padded>(); }, {"a: uint8, 3 bytes, b: int32"});
}

}  // namespace element_type_tests
