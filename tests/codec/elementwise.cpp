// Codecs that make each element by itself: those of numcodecs, and those that are registered for Zarr v3.
#include <array>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/codec_run.hpp>
#include <support/document.hpp>
#include <support/made_codec.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <tessera/codec/array_to_array/cast_value.hpp>
#include <tessera/codec/array_to_array/packed_booleans.hpp>
#include <tessera/codec/array_to_array/reshape.hpp>
#include <tessera/codec/array_to_array/rounding.hpp>
#include <tessera/codec/array_to_array/scale_offset.hpp>
#include <tessera/codec/array_to_bytes/pack_bits.hpp>
#include <tessera/codec/bytes_to_bytes/hdf5_checksums.hpp>
#include <tessera/codec/detail/configuration.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::Bytes;
using test::check_refused;
using test::made;
using test::refuse;

namespace elementwise_tests {
namespace {

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
constexpr auto infinity = std::numeric_limits<double>::infinity();

template <class C>
void check_written(std::string const& configuration, std::string const& written) {
  CHECK(to_json(specification_of(made<C>(configuration)).configuration) == to_json(parse_json(written)));
}
template <class T>
ChunkSpecification chunk_of(std::size_t count) {
  return {{count}, data_type_of<T>(), {}};
}

// For an array-to-array codec.
template <class To, class From, class C>
std::vector<To> encoded(C const& codec, std::vector<From> const& from) {
  auto const chunk = chunk_of<From>(from.size());
  CHECK(codec.encoded(chunk).type == data_type_of<To>());
  std::vector<To> to(from.size());
  Queue<space::Host> on;
  auto const bytes = test::memory_of(from);
  auto const size =
      codec.encode(chunk, test::view(bytes), {reinterpret_cast<std::byte*>(to.data()), to.size() * sizeof(To)}, on);
  CHECK(size == to.size() * sizeof(To));
  return to;
}
template <class From, class To, class C>
std::vector<From> decoded(C const& codec, std::vector<To> const& from) {
  std::vector<From> to(from.size());
  Queue<space::Host> on;
  auto const bytes = test::memory_of(from);
  auto const size = codec.decode(chunk_of<From>(from.size()), test::view(bytes),
                                 {reinterpret_cast<std::byte*>(to.data()), to.size() * sizeof(From)}, on);
  CHECK(size == to.size() * sizeof(From));
  return to;
}
template <class To, class From, class C>
void refuse_element(C const& codec, From number, char const* place = "element 1 ") {
  check_refused<CodecError>([&] { encoded<To>(codec, std::vector<From>{From{0}, number}); }, {place});
}

// For an array-to-bytes codec, or one of booleans.
template <class C>
Bytes packed(C const& codec, ChunkSpecification const& chunk, Bytes const& from, std::size_t room) {
  Queue<space::Host> on;
  Bytes to(room);
  to.resize(codec.encode(chunk, test::view(from), test::span(to), on));
  return to;
}
template <class C>
Bytes unpacked(C const& codec, ChunkSpecification const& chunk, Bytes const& from, std::size_t room) {
  Queue<space::Host> on;
  Bytes to(room);
  to.resize(codec.decode(chunk, test::view(from), test::span(to), on));
  return to;
}

}  // namespace

TEST_CASE("fixedscaleoffset: half goes to even, and arithmetic is that of the elements (NUM-FSO)") {
  auto const halves = made<codec::FixedScaleOffset>(R"({"offset": 0, "scale": 1, "dtype": "<f8", "astype": "|i1"})");
  CHECK(encoded<std::int8_t>(halves, std::vector{.5, 1.5, 2.5, -.5, -1.5}) == std::vector<std::int8_t>{0, 2, 2, 0, -2});
  auto const tenths = made<codec::FixedScaleOffset>(R"({"offset": 1000, "scale": 10, "dtype": "f8", "astype": "u1"})");
  std::vector<double> line;
  for (int i = 0; i < 10; ++i) line.push_back(1000 + i * (1. / 9));
  CHECK(encoded<std::uint8_t>(tenths, line) == std::vector<std::uint8_t>{0, 1, 2, 3, 4, 6, 7, 8, 9, 10});
  CHECK(decoded<double>(tenths, std::vector<std::uint8_t>{0, 6}) == std::vector{1000., 1000.6});
  auto const whole = made<codec::FixedScaleOffset>(R"({"offset": 3, "scale": 2, "dtype": "|u1"})");  // they wrap around
  CHECK(encoded<std::uint8_t>(whole, std::vector<std::uint8_t>{0, 3, 200}) == std::vector<std::uint8_t>{250, 0, 138});
  auto const fractions =
      made<codec::FixedScaleOffset>(R"({"offset": 3.0, "scale": 2, "dtype": "|u1", "astype": "<i2"})");
  CHECK(encoded<std::int16_t>(fractions, std::vector<std::uint8_t>{0, 3, 200}) ==
        std::vector<std::int16_t>{-6, 0, 394});
  check_refused<MetadataError>(
      [] { made<codec::FixedScaleOffset>(R"({"offset": 256, "scale": 1})").encoded(chunk_of<std::uint8_t>(1)); },
      {"configuration.offset", "256", "uint8"});
  check_written<codec::FixedScaleOffset>(R"({"offset": 1000, "scale": 10.0, "dtype": "f8", "astype": "uint8"})",
                                         R"({"scale": 10.0, "offset": 1000, "dtype": "<f8", "astype": "|u1"})");
  refuse<codec::FixedScaleOffset>(R"({"offset": 1})", "configuration.scale is missing");
  refuse<codec::FixedScaleOffset>(R"({"offset": "1", "scale": 1})", "configuration.offset");
  refuse<codec::FixedScaleOffset>(R"({"offset": 1, "scale": 1, "astype": "|b1"})", "configuration.astype");
}

TEST_CASE("quantize: rounds to a power of two that is as fine as so many digits (NUM-QUANT)") {
  auto const one = made<codec::Quantize>(R"({"digits": 1, "dtype": "<f8"})");
  CHECK(one.scale() == 16);
  CHECK(codec::Quantize{{}, 2, {}, {}}.scale() == 128);
  CHECK(codec::Quantize{{}, -1, {}, {}}.scale() == 0.125);
  CHECK(encoded<double>(one, std::vector{0., 1. / 9, 2. / 9, 1. / 3}) == std::vector{0., 0.125, 0.25, 0.3125});
  auto const narrow = made<codec::Quantize>(R"({"digits": 1, "dtype": "<f8", "astype": "<f4"})");
  CHECK(encoded<float>(narrow, std::vector{1. / 9}) == std::vector{0.125f});
  CHECK(decoded<double>(narrow, std::vector{0.1f}) == std::vector{double{0.1f}});
  refuse<codec::Quantize>(R"({"digits": 1, "dtype": "<i4"})", "configuration.dtype");
  refuse<codec::Quantize>(R"({"digits": 1000, "dtype": "<f4"})", "configuration.digits");
  check_refused<MetadataError>([&] { one.encoded(chunk_of<float>(1)); }, {"configuration.dtype", "float32"});
}

TEST_CASE("astype: numbers as NumPy makes them, those of numcodecs by each name of a type (NUM-ASTYPE, NUM-DTYPE)") {
  for (std::string const name : {"|i1", "i1", "int8"}) {
    CAPTURE(name);
    auto const codec = made<codec::AsType>(R"({"encode_dtype": ")" + name + R"(", "decode_dtype": "float64"})");
    CHECK(encoded<std::int8_t>(codec, std::vector{-1.9, 300., nan, infinity, -129., 2147483648.}) ==
          std::vector<std::int8_t>{-1, 44, 0, 0, 127, 0});
    CHECK(decoded<double>(codec, std::vector<std::int8_t>{-1, 44}) == std::vector{-1., 44.});
    check_written<codec::AsType>(R"({"encode_dtype": ")" + name + R"("})", R"({"encode_dtype": "|i1"})");
  }
  auto const large = made<codec::AsType>(R"({"encode_dtype": "<u8"})");
  CHECK(encoded<std::uint64_t>(large, std::vector{-1., 0x1p63, nan, 0x1p64}) ==
        std::vector{~std::uint64_t{0}, std::uint64_t{1} << 63, std::uint64_t{1} << 63, std::uint64_t{0}});
  auto const wrapped = made<codec::AsType>(R"({"encode_dtype": "<i2"})");
  CHECK(encoded<std::int16_t>(wrapped, std::vector{70000, -1}) == std::vector<std::int16_t>{4464, -1});
  auto const once = made<codec::AsType>(R"({"encode_dtype": "<f4"})");  // through a double the result would differ
  std::int64_t const between = (std::int64_t{1} << 61) + (std::int64_t{1} << 37) + 1;
  CHECK(encoded<float>(once, std::vector{between}) == std::vector{0x1.000002p61f});
  std::vector<std::uint32_t> const signalling{0x7fa00001, 0xff800001};
  std::vector<float> same(2);
  std::memcpy(same.data(), signalling.data(), 8);
  CHECK(test::memory_of(encoded<float>(once, same)) == test::memory_of(signalling));
  refuse<codec::AsType>("{}", "configuration.encode_dtype is missing");
  refuse<codec::AsType>(R"({"encode_dtype": "<M8[s]"})", "configuration.encode_dtype");
  refuse<codec::AsType>(R"({"encode_dtype": ""})", "configuration.encode_dtype");
  check_refused<MetadataError>([&] { once.encoded({{1}, {DataKind::complex, 8}, {}}); }, {"complex64"});
  Queue<space::Host> on;
  std::byte few[7]{}, room[8]{};
  auto const chunk = chunk_of<std::int64_t>(1);
  CHECK_THROWS_AS(once.decode(chunk, {few, 7}, {room, 8}, on), CodecError);
  CHECK_THROWS_AS(once.decode(chunk, {room, 8}, {room, 8}, on), CodecError);
}

TEST_CASE(
    "bitround: the nearest number with so few bits, of integers from the first one on "
    "(NUM-BITROUND, CODEC-BITROUND-01..04, G-31)") {
  auto const three = made<codec::BitRound>(R"({"keepbits": 3})");
  auto const fractions =
      encoded<float>(three, std::vector<float>{0, .1f, 1.2f, 12.3f, 123.4f, 1234.5f, static_cast<float>(nan),
                                               static_cast<float>(infinity), -static_cast<float>(infinity)});
  CHECK(test::memory_of(fractions) ==
        test::hex("000000000000d03d0000a03f000040410000f0420000a0440000c07f0000807f000080ff"));
  CHECK(test::memory_of(
            encoded<std::uint8_t>(three, std::vector<std::uint8_t>{0, 1, 10, 11, 100, 123, 200, 208, 209, 255})) ==
        test::hex("00010a0c6080c0c0e0e0"));
  CHECK(decoded<float>(three, std::vector{1.2f}) == std::vector{1.2f});
  auto const large = made<codec::BitRound>(R"({"keepbits": 1})");
  CHECK(encoded<std::uint64_t>(large, std::vector{~std::uint64_t{0}}) == std::vector{std::uint64_t{1} << 63});
  CHECK(encoded<float>(large, std::vector{std::numeric_limits<float>::max()}) ==
        std::vector{std::numeric_limits<float>::infinity()});
  auto const all = made<codec::BitRound>(R"({"keepbits": 23})");
  CHECK(encoded<float>(all, std::vector{0.1f}) == std::vector{0.1f});
  check_refused<MetadataError>([&] { all.encoded(chunk_of<float16_bits>(1)); }, {"configuration.keepbits", "23", "10"});
  check_refused<MetadataError>([&] { three.encoded(chunk_of<bool>(1)); }, {"bool"});
  CHECK(three.encoded({{2}, {DataKind::complex, 16}, {}}).type == DataType{DataKind::complex, 16});
  refuse<codec::BitRound>(R"({"keepbits": -1})", "configuration.keepbits");
  refuse<codec::BitRound>("{}", "configuration.keepbits is missing");
}

TEST_CASE("packbits of numcodecs: a count, and bits from the highest on (NUM-PACKBITS, CODEC-PACKBITS-03, G-30)") {
  ChunkSpecification const four{{2, 2}, {DataKind::boolean, 1}, {}};
  codec::PackedBooleans const codec;
  CHECK(packed(codec, four, test::hex("01000001"), 2) == test::hex("0490"));
  CHECK(unpacked(codec, four, test::hex("0490"), 4) == test::hex("01000001"));
  CHECK(codec.encoded(four).shape == Extents{2});
  for (char const* bad : {"0590", "04"}) CHECK_THROWS_AS(unpacked(codec, four, test::hex(bad), 4), CodecError);
  CHECK_THROWS_AS(unpacked(codec, four, test::hex("0490"), 3), CodecError);
  check_refused<MetadataError>([&] { codec.encoded(chunk_of<std::uint8_t>(1)); }, {"uint8", "bool"});
  test::Random random{4};
  for (std::size_t count : {0u, 1u, 7u, 8u, 9u, 1000u}) {
    ChunkSpecification const chunk{{count}, {DataKind::boolean, 1}, {}};
    auto bits = random.noise(count);
    for (auto& bit : bits) bit &= std::byte{1};
    CHECK(unpacked(codec, chunk, packed(codec, chunk, bits, count + 1), count) == bits);
  }
}

TEST_CASE("packbits: bits of elements from the lowest on, and what pads them (CODEC-PACKBITS-01, 02, 04, 05, G-30)") {
  ChunkSpecification const four{{4}, {DataKind::boolean, 1}, {}};
  for (auto const& [padding, expected] :
       {std::pair{"none", "09"}, std::pair{"first_byte", "0409"}, std::pair{"last_byte", "0904"}}) {
    auto const codec = made<codec::PackBits>(R"({"padding_encoding": ")" + std::string{padding} + R"("})");
    CHECK(packed(codec, four, test::hex("01000001"), 2) == test::hex(expected));
    CHECK(unpacked(codec, four, test::hex(expected), 4) == test::hex("01000001"));
    CHECK_THROWS_AS(unpacked(codec, four, test::hex("090909"), 4), CodecError);
    CHECK_THROWS_AS(unpacked(codec, four, test::hex(expected), 3), CodecError);
    auto wrong = test::hex(expected);
    wrong[padding[0] == 'l'] ^= std::byte{1};
    if (wrong.size() == 2) CHECK_THROWS_AS(unpacked(codec, four, wrong, 4), CodecError);
  }
  auto const low = made<codec::PackBits>(R"({"last_bit": 3, "first_bit": null})");
  CHECK(packed(low, chunk_of<std::uint8_t>(3), test::hex("010203"), 2) == test::hex("2103"));
  auto const two = made<codec::PackBits>(R"({"last_bit": 1})");
  CHECK(packed(two, chunk_of<std::int8_t>(4), test::hex("feff0001"), 1) == test::hex("4e"));
  CHECK(unpacked(two, chunk_of<std::int8_t>(4), test::hex("4e"), 4) == test::hex("feff0001"));  // the sign is restored
  CHECK(unpacked(two, chunk_of<std::uint8_t>(4), test::hex("4e"), 4) == test::hex("02030001"));
  auto const high = made<codec::PackBits>(R"({"first_bit": 4})");
  CHECK(unpacked(high, chunk_of<std::uint8_t>(2), packed(high, chunk_of<std::uint8_t>(2), test::hex("1234"), 1), 2) ==
        test::hex("1030"));
  auto const bare = made<codec::PackBits>(R"({"padding_encoding": "first_byte"})");  // as zarrs writes whole bytes
  CHECK(packed(bare, chunk_of<std::uint8_t>(2), test::hex("1234"), 3) == test::hex("001234"));
  CHECK(unpacked(bare, chunk_of<std::uint8_t>(2), test::hex("1234"), 2) == test::hex("1234"));
  test::Random random{5};
  for (auto const type :
       {DataType{DataKind::complex, 16}, DataType{DataKind::signed_integer, 4}, DataType{DataKind::floating, 2}})
    for (std::uint32_t width = 1; width <= 8 * type.component(); ++width) {
      CAPTURE(width);
      ChunkSpecification const chunk{{7}, type, {}};
      codec::PackBits const codec{codec::PackBits::Padding::none, 0, width - 1};
      auto const once = packed(codec, chunk, random.noise(7 * type.size), codec.encoded_bound(chunk));
      CHECK(once.size() == codec.encoded_bound(chunk));
      CHECK(packed(codec, chunk, unpacked(codec, chunk, once, 7 * type.size), once.size()) == once);
    }
  codec::PackBits const all{};
  auto const chunk_of_format = [](DataKind kind, NumberFormat format) {
    return ChunkSpecification{{4}, {kind, kind == DataKind::complex ? 2u : 1u, format}, {}};
  };
  auto const int2 = chunk_of_format(DataKind::signed_integer, NumberFormat::int2);
  CHECK(packed(all, int2, test::hex("fe000001"), 1) == test::hex("42"));
  CHECK(unpacked(all, int2, test::hex("42"), 4) == test::hex("fe000001"));
  auto const uint4 = chunk_of_format(DataKind::unsigned_integer, NumberFormat::int4);
  CHECK(packed(all, uint4, test::hex("010f0203"), 2) == test::hex("f132"));
  for (auto const format : {NumberFormat::float6_e2m3fn, NumberFormat::float6_e3m2fn}) {
    auto const float6 = chunk_of_format(DataKind::floating, format);
    CHECK(packed(all, float6, test::hex("3f000120"), 3) == test::hex("3f1080"));
    CHECK(unpacked(all, float6, test::hex("3f1080"), 4) == test::hex("3f000120"));
  }
  auto const pairs = chunk_of_format(DataKind::complex, NumberFormat::float4_e2m1fn);
  CHECK(packed(all, pairs, test::hex("0102030405060708"), 4) == test::hex("21436587"));
  check_refused<MetadataError>([&] { made<codec::PackBits>(R"({"last_bit": 4})").layout(uint4); },
                               {"configuration.last_bit", "0 to 3", "uint4"});
  for (auto const type : {string_type, bytes_type, DataType{DataKind::raw, 2}, DataType{DataKind::datetime, 8},
                          DataType{DataKind::utf32, 4}, DataType{DataKind::null_terminated, 1},
                          DataType{DataKind::structure, 8, {}, {}, 1, 4}})
    check_refused<MetadataError>([&] { all.layout({{4}, type, {}}); }, {type.name().c_str(), "does not support"});
  refuse<codec::PackBits>(R"({"padding_encoding": "start_byte"})", "configuration.padding_encoding");
  refuse<codec::PackBits>(R"({"start_bit": 1})", "configuration.start_bit is unknown");
  refuse<codec::PackBits>(R"({"last_bit": 64})", "configuration.last_bit");
  check_refused<MetadataError>([&] { low.layout(four); }, {"configuration.last_bit", "bit 0"});
  check_refused<MetadataError>(
      [&] { made<codec::PackBits>(R"({"first_bit": 5, "last_bit": 4})").layout(chunk_of<int>(1)); },
      {"bits 5 to 4", "0 to 31", "int32"});
}

TEST_CASE("jenkins_lookup3: the hash that HDF5 has, behind the bytes (NUM-JENKINS, G-38)") {
  auto const text = test::bytes("Four score and seven years ago");
  CHECK(test::encoded(codec::JenkinsLookup3{}, text) == test::joined({text, test::hex("51057717")}));
  CHECK(test::encoded(made<codec::JenkinsLookup3>(R"({"initval": 1, "prefix": null})"), text) ==
        test::joined({text, test::hex("618162cd")}));
  CHECK(test::encoded(codec::JenkinsLookup3{}, {}) == test::hex("efbeadde"));
  CHECK(test::decoded(codec::JenkinsLookup3{}, test::encoded(codec::JenkinsLookup3{}, text), text.size()) == text);
  auto bad = test::encoded(codec::JenkinsLookup3{}, text);
  for (auto& byte : bad) {
    byte ^= std::byte{4};
    CHECK_THROWS_AS(test::decoded(codec::JenkinsLookup3{}, bad, text.size()), CodecError);
    byte ^= std::byte{4};
  }
  CHECK_THROWS_AS(test::decoded(codec::JenkinsLookup3{}, Bytes(3), 3), CodecError);
  refuse<codec::JenkinsLookup3>(R"({"prefix": "ab"})", "configuration.prefix");
  refuse<codec::JenkinsLookup3>(R"({"initval": 4294967296})", "configuration.initval");
}

TEST_CASE("reshape: the same elements in other dimensions (CODEC-RESHAPE-01)") {
  auto const shape_of = [](char const* shape, Extents const& chunk) {
    return made<codec::Reshape>(R"({"shape": )" + std::string{shape} + "}")
        .encoded({chunk, {DataKind::boolean, 1}, {}})
        .shape;
  };
  CHECK(shape_of("[[0, 1], [2], 3]", {100, 50, 64, 3}) == Extents{5000, 64, 3});
  CHECK(shape_of("[-1]", {4, 5}) == Extents{20});
  CHECK(shape_of("[2, -1, [1]]", {4, 5}) == Extents{2, 2, 5});
  CHECK(shape_of("[]", {1, 1}) == Extents{});
  CHECK(shape_of("[[0], 2, 3]", {4, 6}) == Extents{4, 2, 3});
  for (char const* bad : {"[[1], [0]]", "[-1, -1]", "[0]", "[[1, 0]]", "[-2]", "[[0, 0]]", R"(["a"])"})
    refuse<codec::Reshape>(R"({"shape": )" + std::string{bad} + "}", "configuration.shape");
  for (char const* bad : {"[3, -1]", "[20, 2]", "[[2], -1]", "[2, [0], -1]", "[[1], -1]", "[9223372036854775807]"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(shape_of(bad, {4, 5}), MetadataError);
  }
  check_written<codec::Reshape>(R"({"shape": [[0, 1], 3, -1]})", R"({"shape": [[0, 1], 3, -1]})");
}

TEST_CASE("squeeze: the same elements without the dimensions of length 1") {
  auto const shape_of = [](Extents const& chunk) {
    return codec::Squeeze{}.encoded({chunk, {DataKind::boolean, 1}, {}}).shape;
  };
  CHECK(shape_of({1, 2, 1, 2, 3}) == Extents{2, 2, 3});
  CHECK(shape_of({4}) == Extents{4});
  CHECK(shape_of({1, 1}) == Extents{1});
  CHECK(shape_of({}) == Extents{1});
  check_written<codec::Squeeze>("{}", "{}");
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<int, 3>(store, "a", {.shape = {2, 1, 3}, .chunks = {2, 1, 3}},
                                          Pipeline<space::Host, codec::Squeeze, codec::Transpose, codec::Bytes>{
                                              {}, {.order = {1, 0}}, {}});
  std::array<int, 6> found{}, elements{1, 2, 3, 4, 5, 6};
  array.write(all, elements);
  open_array<int, 3, AllCodecs>(store, "a").read(all, found);
  CHECK(found == elements);
}

TEST_CASE("cast_value: rounding, and what is out of range (CODEC-CAST-01, 02, G-48)") {
  auto const cast = [](std::string const& more, char const* type = "int8") {
    return made<codec::CastValue>(R"({"data_type": ")" + std::string{type} + "\"" + more + "}");
  };
  refuse_element<std::int8_t>(cast(""), 128.0);
  CHECK(encoded<std::int8_t>(cast(R"(, "out_of_range": "clamp")"), std::vector{128., -1e30}) ==
        std::vector<std::int8_t>{127, -128});
  CHECK(encoded<std::int8_t>(cast(R"(, "out_of_range": "wrap")"), std::vector{128., -129., 0x1p80, 1e9}) ==
        std::vector<std::int8_t>{-128, 127, 0, 0});
  CHECK(encoded<std::int16_t>(cast(R"(, "out_of_range": "wrap")", "int16"), std::vector{32769, -32769}) ==
        std::vector<std::int16_t>{-32767, 32767});
  refuse_element<std::uint8_t>(cast("", "uint8"), nan);
  for (double const none : {nan, infinity}) refuse_element<std::int8_t>(cast(R"(, "out_of_range": "clamp")"), none);
  CHECK(encoded<float>(cast(R"(, "out_of_range": "clamp")", "float32"), std::vector{1e300, -1e300}) ==
        std::vector{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()});
  refuse_element<float>(cast("", "float32"), 1e300);
  auto const kept = encoded<float>(cast("", "float32"), std::vector{-0., nan, -infinity});
  CHECK(std::signbit(kept[0]));
  CHECK(std::isnan(kept[1]));
  CHECK(kept[2] == -std::numeric_limits<float>::infinity());
  std::vector const halves{2.5, -2.5, 3.5, 2.2, -2.2};
  for (auto const& [how, expected] : {std::pair{"nearest-even", std::vector{2, -2, 4, 2, -2}},
                                      std::pair{"towards-zero", std::vector{2, -2, 3, 2, -2}},
                                      std::pair{"towards-positive", std::vector{3, -2, 4, 3, -2}},
                                      std::pair{"towards-negative", std::vector{2, -3, 3, 2, -3}},
                                      std::pair{"nearest-away", std::vector{3, -3, 4, 2, -2}}})
    CHECK(encoded<int>(cast(R"(, "rounding": ")" + std::string{how} + "\"", "int32"), halves) == expected);
  refuse<codec::CastValue>(R"({"data_type": "float32", "out_of_range": "wrap"})", "configuration.out_of_range");
  refuse<codec::CastValue>(R"({"data_type": "float32", "rounding": "up"})", "configuration.rounding");
  refuse<codec::CastValue>(R"({"data_type": "string"})", "configuration.data_type");
  refuse<codec::CastValue>(R"({"data_type": "int8", "scale": 1})", "configuration.scale is unknown");
  refuse<codec::CastValue>("{}", "configuration.data_type is missing");
  check_written<codec::CastValue>(
      R"({"data_type": "int8", "out_of_range": "wrap", "scalar_map": {"encode": [["NaN", 0]]}})",
      R"({"data_type": "int8", "rounding": "nearest-even", "out_of_range": "wrap",
                                      "scalar_map": {"encode": [["NaN", 0]]}})");
}

TEST_CASE("cast_value rounds as the processor does, in each of its ways (CODEC-CAST-02)") {
  std::uint64_t const seed = 11;
  CAPTURE(seed);
  test::Random random{seed};
  std::vector<double> doubles;
  std::vector<std::int64_t> integers;
  for (int i = 0; i < 4000; ++i) {
    auto const bits = random(0, ~std::uint64_t{0} >> 1) | std::uint64_t{i % 2 == 0} << 63;
    integers.push_back(static_cast<std::int64_t>(bits) >> random(0, 63));
    auto const near =
        std::ldexp(1 + static_cast<double>(random(0, 1 << 26)) / (1 << 26), static_cast<int>(random(0, 250)) - 150);
    doubles.push_back(i % 2 == 0 ? -near : near);
  }
  constexpr std::pair<char const*, int> ways[]{{"nearest-even", FE_TONEAREST},
                                               {"towards-zero", FE_TOWARDZERO},
                                               {"towards-positive", FE_UPWARD},
                                               {"towards-negative", FE_DOWNWARD}};
  for (auto const& [rounding, way] : ways) {
    std::string const name = rounding;
    CAPTURE(name);
    auto const codec = made<codec::CastValue>(R"({"data_type": "float32", "rounding": ")" + name + "\"}");
    auto const of_doubles = encoded<float>(codec, doubles);
    auto const of_integers = encoded<float>(codec, integers);
    int wrong = 0;
    std::fesetround(way);
    for (std::size_t i = 0; i < doubles.size(); ++i) {
      double const volatile fraction = doubles[i];
      std::int64_t const volatile integer = integers[i];
      float const volatile one = static_cast<float>(fraction), other = static_cast<float>(integer);
      wrong += (one != of_doubles[i]) + (other != of_integers[i]);
    }
    std::fesetround(FE_TONEAREST);
    CHECK(wrong == 0);
  }
}

TEST_CASE(
    "cast_value: numbers that are mapped, the first that is there, and the fill value "
    "(CODEC-CAST-02, CODEC-CAST-03, CODEC-CAST-04, FILL-15)") {
  auto const mapped = made<codec::CastValue>(
      R"({"data_type": "uint8", "scalar_map": {"encode": [["NaN", 0], ["NaN", 1], [1.5, 7]], "decode": [[0, "NaN"]]}})");
  CHECK(encoded<std::uint8_t>(mapped, std::vector{nan, 1.5, 3.0}) == std::vector<std::uint8_t>{0, 7, 3});
  auto const back = decoded<double>(mapped, std::vector<std::uint8_t>{0, 7});
  CHECK(std::isnan(back[0]));
  CHECK(back[1] == 7);
  ChunkSpecification chunk{{1}, data_type_of<double>(), test::memory_of(std::vector{nan})};
  CHECK(mapped.encoded(chunk).fill == test::hex("00"));
  chunk.fill = test::memory_of(std::vector{9.0});
  CHECK(mapped.encoded(chunk).fill == test::hex("09"));
  for (double const lost : {9.25, 300.0, 1.5}) {
    chunk.fill = test::memory_of(std::vector{lost});
    check_refused<MetadataError>([&] { mapped.encoded(chunk); }, {"the fill value", "uint8"});
  }
  refuse<codec::CastValue>(R"({"data_type": "uint8", "scalar_map": {"encode": [["+Infinity", 0]]}})",
                           "configuration.scalar_map.encode[0]");
  refuse<codec::CastValue>(R"({"data_type": "uint8", "scalar_map": {"both": []}})",
                           "configuration.scalar_map.both is unknown");
  check_refused<MetadataError>(
      [&] {
        made<codec::CastValue>(R"({"data_type": "uint8", "scalar_map": {"encode": [[1, 256]]}})")
            .encoded(chunk_of<int>(1));
      },
      {"configuration.scalar_map.encode", "256", "uint8"});
}

TEST_CASE("scale_offset: in the arithmetic of the elements, of integers exactly (CODEC-SCALE-01, FILL-15)") {
  auto const tenths = made<codec::ScaleOffset>(R"({"offset": 5, "scale": 0.1})");
  CHECK(encoded<float>(tenths, std::vector{5.f, 25.f}) == std::vector{0.f, 20.f * 0.1f});
  CHECK(decoded<float>(tenths, std::vector{2.f}) == std::vector{2.f / 0.1f + 5.f});
  auto const whole = made<codec::ScaleOffset>(R"({"offset": 1000, "scale": 2})");
  CHECK(encoded<std::uint16_t>(whole, std::vector<std::uint16_t>{1000, 1255}) == std::vector<std::uint16_t>{0, 510});
  CHECK(decoded<std::uint16_t>(whole, std::vector<std::uint16_t>{0, 510}) == std::vector<std::uint16_t>{1000, 1255});
  refuse_element<std::uint16_t>(whole, std::uint16_t{1}, "element 0 ");                       // 0 - 1000
  CHECK_THROWS_AS(decoded<std::uint16_t>(whole, std::vector<std::uint16_t>{3}), CodecError);  // 3 / 2
  CHECK_THROWS_AS(decoded<std::uint16_t>(whole, std::vector<std::uint16_t>{65535}), CodecError);
  auto const negative = made<codec::ScaleOffset>(R"({"offset": -1, "scale": -1})");
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  CHECK(encoded<std::int64_t>(negative, std::vector<std::int64_t>{-most - 1, 4}) ==
        std::vector<std::int64_t>{most, -5});
  CHECK(decoded<std::int64_t>(negative, std::vector<std::int64_t>{most, -5}) ==
        std::vector<std::int64_t>{-most - 1, 4});
  refuse_element<std::int64_t>(negative, most);
  ChunkSpecification chunk{{1}, data_type_of<std::uint16_t>(), test::memory_of(std::vector<std::uint16_t>{1001})};
  CHECK(whole.encoded(chunk).fill == test::memory_of(std::vector<std::uint16_t>{2}));
  chunk.fill = test::memory_of(std::vector<std::uint16_t>{999});
  check_refused<MetadataError>([&] { whole.encoded(chunk); }, {"the fill value", "uint16"});
  check_refused<MetadataError>([&] { tenths.encoded(chunk); }, {"configuration.scale", "0.1", "uint16"});
  check_refused<MetadataError>([&] { whole.encoded(chunk_of<bool>(1)); }, {"bool"});
  refuse<codec::ScaleOffset>(R"({"scale": 0})", "configuration.scale");
  refuse<codec::ScaleOffset>(R"({"factor": 2})", "configuration.factor is unknown");
}

}  // namespace elementwise_tests
