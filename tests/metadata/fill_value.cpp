#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <tuple>

#include <doctest/doctest.h>

#include <support/bytes.hpp>
#include <support/document.hpp>
#include <support/refused.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/metadata/detail/fill_value.hpp>
#include <tessera/metadata/json.hpp>

using namespace tessera;
using test::check_refused;

namespace {

test::Bytes fill(std::string const& json, char const* type) {
  auto const value = parse_json(json);
  return read_fill_value({value, "fill_value"}, *data_type_named(type));
}

template <class T>
T fill_as(std::string const& json) {
  auto const bytes = fill(json, data_type_of<T>().name().c_str());
  REQUIRE(bytes.size() == sizeof(T));
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

void refuse(std::string const& json, char const* type) {
  CAPTURE(std::string{json});
  CAPTURE(std::string{type});
  check_refused<MetadataError>([&] { fill(json, type); }, {"member fill_value", "expected"});
}

template <class Bits>
Bits bits_of(std::string const& json, char const* type) {
  auto const bytes = fill(json, type);
  REQUIRE(bytes.size() == sizeof(Bits));
  Bits bits;
  std::memcpy(&bits, bytes.data(), sizeof bits);
  return bits;
}
std::uint16_t bits16(std::string const& json) { return bits_of<std::uint16_t>(json, "float16"); }
std::uint32_t bits32(std::string const& json) { return bits_of<std::uint32_t>(json, "float32"); }
std::uint64_t bits64(std::string const& json) { return bits_of<std::uint64_t>(json, "float64"); }

// The text written for a value that was read.
std::string again(std::string const& json, char const* type) {
  auto const text = to_json(write_fill_value(fill(json, type), *data_type_named(type)));
  CHECK(fill(text, type) == fill(json, type));
  return text;
}

}  // namespace

TEST_CASE_TEMPLATE("integers up to their limits, and not beyond (FILL-04, G-21)", T, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
  using Limits = std::numeric_limits<T>;
  auto const name = data_type_of<T>().name();
  CHECK(fill_as<T>(std::to_string(Limits::max())) == Limits::max());
  CHECK(fill_as<T>(std::to_string(Limits::min())) == Limits::min());
  CHECK(fill_as<T>("0") == 0);
  auto beyond = std::to_string(Limits::max());  // none of them ends in 9
  ++beyond.back();
  refuse(beyond, name.c_str());
  if (std::is_signed_v<T>) {
    auto below = std::to_string(Limits::min());
    ++below.back();
    refuse(below, name.c_str());
  } else {
    refuse("-1", name.c_str());
  }
  refuse("99999999999999999999999999999999", name.c_str());
}

TEST_CASE("a whole number is an integer, with a point or an exponent too, as to zarr-python and TensorStore") {
  CHECK(fill_as<std::int8_t>("1.0") == 1);
  CHECK(fill_as<std::int8_t>("-100.00") == -100);
  CHECK(fill_as<std::uint8_t>("1e2") == 100);
  CHECK(fill_as<std::uint8_t>("12.50E+1") == 125);
  CHECK(fill_as<std::uint8_t>("1200e-2") == 12);
  CHECK(fill_as<std::int64_t>("-0.0") == 0);
  CHECK(fill_as<std::uint64_t>("18446744073709551615.0") == 18446744073709551615u);
  for (auto* json : {"1.28e2", "128.0", "-129.0", "1e20", "1e99", "1e99999999999999999999", "1e-1"})
    refuse(json, "int8");
  refuse("18446744073709551616.0", "uint64");
}

TEST_CASE("integers have no fraction, and are no strings (FILL-03, G-21)") {
  for (auto* type : {"int8", "uint8", "int64", "uint64"})
    for (auto* json : {"1.5", "1e-2", "\"1\"", "\"NaN\"", "\"0x01\"", "true", "null", "[1]", "{}"}) refuse(json, type);
}

TEST_CASE("64-bit integers are exact (META-05, G-21)") {
  CHECK(fill_as<std::uint64_t>("18446744073709551615") == 18446744073709551615u);
  CHECK(fill_as<std::int64_t>("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(fill_as<std::int64_t>("9007199254740993") == 9007199254740993);
}

TEST_CASE("bool is true or false (G-22)") {
  CHECK(fill("true", "bool") == test::hex("01"));
  CHECK(fill("false", "bool") == test::hex("00"));
  for (auto* json : {"1", "0", "\"true\"", "null", "1.0", "[]"}) refuse(json, "bool");
}

TEST_CASE("floating numbers are the nearest to their decimal text, without a way through double (FILL-05, G-19)") {
  CHECK(bits32("16777217") == 0x4b800000);
  CHECK(bits32("16777219") == 0x4b800002);
  CHECK(bits32("0.1") == 0x3dcccccd);
  CHECK(bits32("1.00000005960464477539062500000001") == 0x3f800001);
  CHECK(bits32("1e-45") == 1);
  CHECK(bits32("3.4028234663852886e38") == 0x7f7fffff);
  CHECK(bits64("0.1") == 0x3fb999999999999a);
  CHECK(bits64("5e-324") == 1);
  CHECK(bits64("9007199254740993") == 0x4340000000000000);
  CHECK(bits64("123456789012345678901234567890") == 0x45f8ee90ff6c373e);
}

TEST_CASE("zero keeps its sign (FILL-10)") {
  CHECK(bits32("0") == 0);
  CHECK(bits32("0.0") == 0);
  CHECK(bits32("-0.0") == 0x80000000);
  CHECK(bits64("-0.0") == 0x8000000000000000);
  CHECK(bits64("-0e0") == 0x8000000000000000);
}

TEST_CASE("a number too small for the type is zero, with its sign (FILL-05)") {
  CHECK(bits32("1e-50") == 0);
  CHECK(bits32("-1e-50") == 0x80000000);
  CHECK(bits64("1e-400") == 0);
  CHECK(bits64("-0.000001e-400") == 0x8000000000000000);
  CHECK(bits32("0." + std::string(100, '0') + "1") == 0);
  CHECK(bits64("1e-99999999999999999999") == 0);
  CHECK(bits64("1e-9223372036854775808") == 0);
}

TEST_CASE("a number too large for the type is infinite, as it rounds (FILL-06, G-20)") {
  CHECK(bits32("1e39") == 0x7f800000);
  CHECK(bits32("-1e39") == 0xff800000);
  CHECK(bits32("1" + std::string(50, '0')) == 0x7f800000);
  CHECK(bits32("1" + std::string(60, '0') + "e-5") == 0x7f800000);
  CHECK(bits32("3.4028235677973367e38") == 0x7f800000);  // half way to the next number
  CHECK(bits32("3.4028235677973366e38") == 0x7f7fffff);
  CHECK(bits64("1e400") == 0x7ff0000000000000);
  CHECK(bits64("-1e99999999999999999999") == 0xfff0000000000000);
  CHECK(bits16("65520") == 0x7c00);
  CHECK(bits16("-1e300") == 0xfc00);
  CHECK(bits16("1e400") == 0x7c00);
}

TEST_CASE("half precision is the nearest half of the decimal text (FILL-05, G-20)") {
  CHECK(bits16("2049") == 0x6800);
  CHECK(bits16("2051") == 0x6802);
  CHECK(bits16("65519") == 0x7bff);
  CHECK(bits16("65519.99999999999999999999999") == 0x7bff);
  CHECK(bits16("2.980232238769531e-08") == 0);
  CHECK(bits16("2.98023223876953125e-08") == 0);  // half of the smallest, exactly: to even
  CHECK(bits16("2.980232238769531250000000000001e-08") == 1);
  CHECK(bits16("2049.0000000000000000000000001") == 0x6801);  // the nearest double is the tie itself
  CHECK(bits16("2050.9999999999999999999999999") == 0x6801);
  CHECK(bits16("0.1") == 0x2e66);
  CHECK(bits16("-0.0") == 0x8000);
  CHECK(bits16("1e-400") == 0);
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {  // every half comes back from its own decimal
    auto const text = detail::shortest_decimal(detail::small_float(NumberFormat::usual).value(bits));
    if (bits16(text) != bits) FAIL_CHECK(text);
  }
}

TEST_CASE("the three words for what decimals cannot say, and their bits (FILL-07, 08, G-17)") {
  CHECK(bits32("\"NaN\"") == 0x7fc00000);
  CHECK(bits32("\"Infinity\"") == 0x7f800000);
  CHECK(bits32("\"-Infinity\"") == 0xff800000);
  CHECK(bits64("\"NaN\"") == 0x7ff8000000000000);
  CHECK(bits64("\"Infinity\"") == 0x7ff0000000000000);
  CHECK(bits64("\"-Infinity\"") == 0xfff0000000000000);
  CHECK(bits16("\"NaN\"") == 0x7e00);
  CHECK(bits16("NaN") == 0x7e00);  // as a number, which Python's json writes
  CHECK(bits16("\"Infinity\"") == 0x7c00);
  CHECK(bits16("\"-Infinity\"") == 0xfc00);
  for (auto* type : {"float16", "float32", "float64"})
    for (auto* json : {"\"nan\"", "\"NAN\"", "\"-NaN\"", "\"+Infinity\"", "\"inf\"", "\"Inf\"", "\"infinity\"", "\"\"",
                       "\"0\"", "\"1.5\"", "\"NaN \"", "true", "null", "[0]", "{}"})
      refuse(json, type);
}

TEST_CASE("hexadecimal text is the bit pattern, in full width (FILL-09, G-16)") {
  CHECK(bits32("\"0x7fc00001\"") == 0x7fc00001);
  CHECK(bits32("\"0x3F800000\"") == 0x3f800000);
  CHECK(bits32("\"0xffFFffFF\"") == 0xffffffff);
  CHECK(bits32("\"0x80000000\"") == 0x80000000);
  CHECK(bits64("\"0x7ff8000000000001\"") == 0x7ff8000000000001);
  CHECK(bits64("\"0x0000000000000001\"") == 1);
  for (auto* json : {"\"0x7fc0000\"", "\"0x7fc000000\"", "\"0X7fc00000\"", "\"7fc00000\"", "\"0x\"", "\"0x7fc0000g\"",
                     "\"0x-7fc0000\"", "\"0x+7fc0000\"", "\"0x 7fc0000\"", "\"0x0x7fc00\"", "\"0x7ff8000000000000\""})
    refuse(json, "float32");
  refuse("\"0x7fc00000\"", "float64");
  CHECK(bits16("\"0x3c00\"") == 0x3c00);
  CHECK(bits16("\"0x7e01\"") == 0x7e01);
  CHECK(bits16("\"0xFBff\"") == 0xfbff);
  refuse("\"0x3c0\"", "float16");
  refuse("\"0x00003c00\"", "float16");
}

TEST_CASE("null is no fill value of any type (FILL-01)") {
  for (auto type : data_types) refuse("null", type.name().c_str());
  refuse("null", "r16");
}

TEST_CASE("what is written says every bit: words, shortest decimals, and hexadecimal for other NaNs (FILL-10)") {
  CHECK(again("0", "float32") == "0.0");
  CHECK(again("-0.0", "float64") == "-0.0");
  CHECK(again("0.1", "float64") == "0.1");
  CHECK(again("0.1", "float32") == "0.10000000149011612");  // zarr-python's text for a float
  CHECK(again("1e5", "float64") == "100000.0");
  CHECK(again("1e16", "float64") == "1e+16");
  CHECK(again("0.00001", "float64") == "1e-05");
  CHECK(again("1e400", "float64") == "\"Infinity\"");
  CHECK(again("\"-Infinity\"", "float16") == "\"-Infinity\"");
  for (auto* type : {"float16", "float32", "float64"}) CHECK(again("\"NaN\"", type) == "\"NaN\"");
  CHECK(again("\"0x7fc00000\"", "float32") == "\"NaN\"");
  CHECK(again("\"0x7fC00001\"", "float32") == "\"0x7fc00001\"");
  CHECK(again("\"0xffc00000\"", "float32") == "\"0xffc00000\"");
  CHECK(again("\"0x7e01\"", "float16") == "\"0x7e01\"");
  CHECK(again("\"0x7ff0000000000001\"", "float64") == "\"0x7ff0000000000001\"");
  CHECK(again("18446744073709551615", "uint64") == "18446744073709551615");
  CHECK(again("-128", "int8") == "-128");
  CHECK(again("true", "bool") == "true");
}

TEST_CASE("a complex number is a list of two, each in any form (FILL-11, DTYPE-05, G-18)") {
  CHECK(fill("[1, -2.5]", "complex64") == test::memory_of<float>({1, -2.5}));
  CHECK(fill("[1, -2.5]", "complex128") == test::memory_of<double>({1, -2.5}));
  CHECK(fill(R"(["NaN", "-Infinity"])", "complex64") == test::memory_of<std::uint32_t>({0x7fc00000, 0xff800000}));
  CHECK(fill(R"(["0x7fc00001", 0])", "complex64") == test::memory_of<std::uint32_t>({0x7fc00001, 0}));
  CHECK(to_json(write_fill_value(fill(R"(["0x7fc00001", -0.0])", "complex64"), *data_type_named("complex64"))) ==
        "[\n  \"0x7fc00001\",\n  -0.0\n]");
  for (auto* json : {"1", "[]", "[1]", "[1, 2, 3]", "[1, null]", "[1, [2]]", "\"NaN\"", R"(["nan", 0])", "null",
                     R"(["0x7ff8000000000001", 0])"})
    refuse(json, "complex64");
}

TEST_CASE("raw bits are a list of bytes, or base64 (FILL-12, DTYPE-06, G-23)") {
  CHECK(fill("[18, 52]", "r16") == test::hex("1234"));
  CHECK(fill("\"EjQ=\"", "r16") == test::hex("1234"));
  CHECK(fill("\"AQID\"", "r24") == test::hex("010203"));
  CHECK(fill("\"/w==\"", "r8") == test::hex("ff"));
  CHECK(to_json(write_fill_value(test::hex("1234"), *data_type_named("r16"))) == "[\n  18,\n  52\n]");
  for (auto* json : {"[18]", "[18, 52, 0]", "[18, 256]", "[18, -1]", "[1.0, 2]", "4660", "\"EjQ\"", "\"EjR=\"",
                     "\"EjQ!\"", "\"=\"", "\"====\"", "\"Ej=0\"", "\"AQID\"", "\"\"", "[]"})
    refuse(json, "r16");
}

TEST_CASE("small numbers: the nearest that there is, and the words for the rest (DTYPE-07..15, FILL-05..10, G-17)") {
  struct {
    char const *type, *nan, *infinity, *largest, *beyond;
  } const table[] = {{"bfloat16", "c07f", "807f", "3.3895313892515355e+38", "3.4e38"},
                     {"float8_e3m4", "78", "70", "15.5", ""},
                     {"float8_e4m3", "7c", "78", "240.0", ""},
                     {"float8_e4m3fn", "7f", "", "448.0", "465"},
                     {"float8_e4m3b11fnuz", "80", "", "30.0", "31"},
                     {"float8_e4m3fnuz", "80", "", "240.0", "249"},
                     {"float8_e5m2", "7e", "7c", "57344.0", ""},
                     {"float8_e5m2fnuz", "80", "", "57344.0", "61441"},
                     {"float8_e8m0fnu", "ff", "", "1.7014118346046923e+38", "0"},
                     {"float6_e2m3fn", "", "", "7.5", "7.76"},
                     {"float6_e3m2fn", "", "", "28.0", "30.1"},
                     {"float4_e2m1fn", "", "", "6.0", "-7.1"}};
  for (auto const& row : table) {
    CAPTURE(std::string{row.type});
    auto const word = [&](char const* json, std::string const& bytes) {
      if (bytes.empty()) return refuse(json, row.type);
      CHECK(fill(json, row.type) == test::hex(bytes));
      CHECK(again(json, row.type) == json);
    };
    word("\"NaN\"", row.nan);
    if (*row.nan)
      CHECK(fill("NaN", row.type) == test::hex(row.nan));  // as a number, which Python's json writes
    else
      refuse("NaN", row.type);
    word("\"Infinity\"", row.infinity);
    CHECK(again(row.largest, row.type) == row.largest);
    if (*row.infinity)
      CHECK(again("1e300", row.type) == "\"Infinity\"");
    else
      for (auto* json : {row.beyond, "1e300", "\"-Infinity\""}) refuse(json, row.type);
    auto const type = *data_type_named(row.type);
    auto const format = detail::small_float(type.format);
    auto const all = format.sign() == 0 ? 256 : 2 * format.sign();
    for (std::uint32_t bits = 0; bits < all; ++bits) {  // each comes back from its own text
      auto const bytes = test::memory_of<std::uint16_t>({static_cast<std::uint16_t>(bits)});
      auto const element = std::span{bytes}.first(type.size);
      auto const written = write_fill_value(element, type);
      if (!std::ranges::equal(read_fill_value({written, "fill_value"}, type), element)) FAIL_CHECK(to_json(written));
    }
  }
  CHECK(fill("-0.0", "float8_e4m3fnuz") == test::hex("00"));
  CHECK(fill("-0.0", "float8_e4m3fn") == test::hex("80"));
  CHECK(fill("1", "float8_e8m0fnu") == test::hex("7f"));
  CHECK(fill("1.5", "float8_e8m0fnu") == test::hex("80"));  // to even
  CHECK(fill("1e-45", "float8_e8m0fnu") == test::hex("00"));
  refuse("-1", "float8_e8m0fnu");
  CHECK(fill("1.00390625", "bfloat16") == test::hex("803f"));  // half way: to even
  CHECK(fill("1.003906250000000000000000000001", "bfloat16") == test::hex("813f"));
  CHECK(fill("\"0x7fc1\"", "bfloat16") == test::hex("c17f"));
  CHECK(fill("\"0x3f\"", "float6_e2m3fn") == test::hex("3f"));
  refuse("\"0x40\"", "float6_e2m3fn");
  refuse("\"0x7fc1\"", "float8_e5m2");
  CHECK(fill("[1, \"NaN\"]", "complex_bfloat16") == test::hex("803fc07f"));
  CHECK(fill("[1, 0.5]", "complex_float16") == test::hex("003c0038"));
  CHECK(again("[0.5, -2.0]", "complex_float8_e5m2") == "[\n  0.5,\n  -2.0\n]");
  for (auto [type, least, most] : {std::tuple{"int2", -2, 1}, {"int4", -8, 7}, {"uint2", 0, 3}, {"uint4", 0, 15}}) {
    for (auto const number : {least, most}) CHECK(again(std::to_string(number), type) == std::to_string(number));
    for (auto const number : {least - 1, most + 1}) refuse(std::to_string(number), type);
  }
}

TEST_CASE("times are numbers or NaT (DTYPE-20, G-26)") {
  DataType const type{DataKind::datetime, 8, NumberFormat::usual, TimeUnit::second};
  auto const read = [&](char const* json) {
    auto const value = parse_json(json);
    return read_fill_value({value, "fill_value"}, type);
  };
  CHECK(read("\"NaT\"") == test::hex("0000000000000080"));
  CHECK(read("-9223372036854775808") == test::hex("0000000000000080"));
  CHECK(read("1") == test::hex("0100000000000000"));
  for (auto* json : {"\"NaN\"", "1.0", "9223372036854775808", "null", "\"1\""})
    check_refused<MetadataError>([&] { read(json); }, {"member fill_value"});
}
