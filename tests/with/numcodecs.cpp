// Codecs of numcodecs, which arrays of Zarr v2 have, and of v3 under names of their own: with bytes from numcodecs and
// Python's libraries.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/codec_run.hpp>
#include <support/document.hpp>
#include <support/made_codec.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <tessera/codec/array_to_array/delta.hpp>
#include <tessera/codec/bytes_to_bytes/hdf5_checksums.hpp>
#include <tessera/codec/bytes_to_bytes/shuffle.hpp>
#include <tessera/codec/detail/configuration.hpp>
#include <tessera/with/bz2.hpp>
#include <tessera/with/deflate.hpp>
#include <tessera/with/lz4.hpp>
#include <tessera/with/lzma.hpp>

using namespace tessera;
using test::Bytes;
using test::check_refused;
using test::decoded;
using test::encoded;
using test::made;
using test::refuse;
using test::written;

namespace numcodecs_tests {
namespace {


// For a codec that changes elements: it is told the room, as in decoding.
Bytes differences(codec::Delta const& codec, Bytes const& from, std::size_t room) {
  Queue<space::Host> on;
  Bytes to(room);
  to.resize(codec.encode(test::view(from), test::span(to), on));
  return to;
}

Bytes const eight = test::hex("0001020304050607");

// Every size comes back; a truncated, longer or changed input is refused, and nothing is written outside the room.
template <class C>
void check_codec(C const& codec, bool checks_all) {
  std::uint64_t const seed = 75;
  CAPTURE(seed);
  CAPTURE(std::string{C::name});
  test::Random random{seed};
  for (std::size_t size : {1u, 2u, 7u, 100u, 4096u, 65537u, 1048576u}) {
    CAPTURE(size);
    auto const smooth = random.smooth(size), noise = random.noise(size);
    for (auto const& bytes : {smooth, noise, Bytes(size)}) {
      auto const code = encoded(codec, bytes);
      CHECK(code.size() <= codec.encoded_bound(size));
      CHECK(decoded(codec, code, size) == bytes);
      CHECK_THROWS_AS(decoded(codec, code, size - 1), CodecError);
    }
  }
  auto const bytes = random.noise(1000);
  auto const code = encoded(codec, bytes);
  for (std::size_t size = 0; size < code.size(); ++size) {
    CAPTURE(size);
    CHECK_THROWS_AS(decoded(codec, {code.begin(), code.begin() + static_cast<long>(size)}, 1000), CodecError);
  }
  for (std::size_t bit = 0; bit < 8 * code.size(); ++bit) {
    auto bad = code;
    bad[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    CAPTURE(bit);
    try {
      auto const found = decoded(codec, bad, 1000);
      CHECK(found.size() <= 1000);
      if (checks_all) CHECK(found == bytes);  // the bit does not affect the bytes
    } catch (CodecError const&) {
    }
  }
}

}  // namespace

TEST_CASE("zlib: a stream and its level (NUM-ZLIB, G-33)") {
  CHECK(decoded(codec::Zlib{}, test::hex("78016360a00c000000400001"), 64) == Bytes(64));
  check_codec(codec::Zlib{}, true);
  for (int level = -1; level <= 9; ++level) {
    auto const codec = made<codec::Zlib>(R"({"level": )" + std::to_string(level) + "}");
    CHECK(codec.level == level);
    CHECK(decoded(codec, encoded(codec, eight), 8) == eight);
  }
  CHECK(made<codec::Zlib>("{}").level == 1);
  refuse<codec::Zlib>(R"({"level": 10})", "configuration.level");
  refuse<codec::Zlib>(R"({"wbits": 10})", "configuration.wbits is unknown");
  auto more = encoded(codec::Zlib{}, eight);
  more.push_back(std::byte{0});
  CHECK_THROWS_AS(decoded(codec::Zlib{}, more, 8), CodecError);
}

TEST_CASE("lz4: a size and one block (NUM-LZ4, G-32)") {
  CHECK(decoded(codec::Lz4{}, test::hex("400000001f00010027500000000000"), 64) == Bytes(64));
  CHECK(encoded(codec::Lz4{}, Bytes(64)) == test::hex("400000001f00010027500000000000"));
  CHECK(decoded(codec::Lz4{}, test::hex("08000000800001020304050607"), 8) == eight);
  CHECK(encoded(codec::Lz4{}, eight) == test::hex("08000000800001020304050607"));
  check_codec(codec::Lz4{}, false);
  CHECK(made<codec::Lz4>("{}").acceleration == 1);
  CHECK(written<codec::Lz4>(R"({"acceleration": 50})") == to_json(parse_json(R"({"acceleration": 50})")));
  check_refused<CodecError>([] { decoded(codec::Lz4{}, test::hex("ffffffff800001020304050607"), 8); },
                            {"says 4294967295 bytes", "expected 8"});
  CHECK_THROWS_AS(decoded(codec::Lz4{}, test::hex("07000000800001020304050607"), 8), CodecError);
}

TEST_CASE("lz4: the beginning of a chunk is that of the whole, and a part of a damaged chunk is an error or other bytes") {
  std::uint64_t const seed = 23;
  CAPTURE(seed);
  test::Random random{seed};
  codec::Lz4 const codec;
  std::size_t const whole = 100'000;
  auto const bytes = random.smooth(whole);
  auto const sound = encoded(codec, bytes);
  for (std::size_t const size : {std::size_t{1}, random(1, whole), whole - 1, whole}) {
    CAPTURE(size);
    auto const part = test::decoded_part(codec, sound, {0, size, whole});
    CHECK(part == Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
  }
  check_refused<CodecError>([&] { test::decoded_part(codec, sound, {0, 10, whole + 1}); }, {"100000", "100001"});
  check_refused<CodecError>([&] { test::decoded_part(codec, Bytes(3), {0, 10, whole}); }, {"found 3 bytes"});
  int answered = 0;
  for (int round = 0; round < 400; ++round) {
    auto value = sound;
    if (round % 4 == 0)
      value.resize(random(0, value.size() - 1));
    else
      value[random(0, round % 2 ? 30 : value.size() - 1)] ^= static_cast<std::byte>(1u << random(0, 7));
    try {
      (void)test::decoded_part(codec, value, {0, random(1, whole), whole});
      ++answered;
    } catch (CodecError const&) {
      ++answered;
    }
  }
  CHECK(answered == 400);
}

TEST_CASE("bz2: streams and their level (NUM-BZ2, G-33)") {
  auto const stream =
      test::hex("425a6831314159265359b53523ed00000040007f802000310c08191a69933573f945dc914e14242d4d48fb40");
  CHECK(decoded(codec::Bz2{}, stream, 8) == eight);
  CHECK(decoded(codec::Bz2{}, test::joined({stream, stream}), 16) == test::joined({eight, eight}));
  check_codec(codec::Bz2{}, true);
  CHECK(decoded(codec::Bz2{9}, encoded(codec::Bz2{9}, Bytes(1 << 20)), 1 << 20) == Bytes(1 << 20));
  refuse<codec::Bz2>(R"({"level": 0})", "configuration.level");
}

TEST_CASE("lzma: streams of xz, and older ones (NUM-LZMA, G-33)") {
  auto const xz = test::hex(
      "fd377a585a000004e6d6b4460200210116000000742fe5a301000700010203040506070079c5e6ab1103b05300012008bb19d9bb1fb6f37d"
      "010000000004595a");
  CHECK(decoded(codec::Lzma{}, xz, 8) == eight);
  check_codec(codec::Lzma{}, true);
  codec::Lzma const older{2};
  CHECK(decoded(older, encoded(older, eight), 8) == eight);
  CHECK_THROWS_AS(decoded(older, xz, 8), CodecError);
  auto const json = R"({"format": 1, "check": 4, "preset": 6, "filters": null})";
  CHECK(written<codec::Lzma>(json) == to_json(parse_json(json)));
  auto const usual = R"({"format": 1, "check": -1, "preset": null, "filters": null})";
  CHECK(written<codec::Lzma>(usual) == to_json(parse_json(usual)));
  refuse<codec::Lzma>(R"({"format": 3})", "configuration.format");
  refuse<codec::Lzma>(R"({"filters": [{"id": 33}]})", "configuration.filters");
  refuse<codec::Lzma>(R"({"check": 2})", "configuration.check");
  refuse<codec::Lzma>(R"({"preset": 10})", "configuration.preset");
}

TEST_CASE("bombs of bz2 and lzma are errors: neither room nor memory is exceeded") {
  Bytes const zeros(std::size_t{1} << 22);
  auto const packed = encoded(codec::Bz2{}, zeros);
  CHECK(packed.size() < 100);
  check_refused<CodecError>([&] { decoded(codec::Bz2{}, packed, 64); }, {"do not decode to 64"});
  check_refused<CodecError>([&] { decoded(codec::Lzma{}, encoded(codec::Lzma{}, zeros), 64); },
                            {"do not decode to 64"});
  // It claims to need a dictionary of 1 GiB.
  auto const greedy = test::hex("5d00000040ffffffffffffffff000000000000");
  check_refused<CodecError>([&] { decoded(codec::Lzma{2}, greedy, 64); }, {"more than 134217728 bytes of memory"});
}

TEST_CASE("checksums of numcodecs, before or behind the bytes (NUM-CRC32, NUM-ADLER32, NUM-FLETCHER32, G-38)") {
  auto const digits = test::bytes("123456789");
  CHECK(encoded(codec::Crc32{}, digits) == test::hex("2639f4cb313233343536373839"));
  CHECK(encoded(codec::Adler32{}, digits) == test::hex("de011e09313233343536373839"));
  CHECK(encoded(codec::Fletcher32{}, test::bytes("abcde")) == test::hex("6162636465c729f04f"));
  CHECK(encoded(made<codec::Crc32>(R"({"location": "end"})"), digits) == test::hex("3132333435363738392639f4cb"));
  check_codec(codec::Crc32{}, true);
  check_codec(codec::Adler32{}, true);
  check_codec(codec::Fletcher32{}, false);  // it does not tell 0000 from ffff
  check_codec(made<codec::Adler32>(R"({"location": "end"})"), true);
  CHECK(written<codec::Crc32>("{}") == "{}");
  CHECK(to_value(specification_of(codec::Crc32{})) ==  // zarr-python reads none without a configuration
        parse_json(R"({"name": "numcodecs.crc32", "configuration": {}})"));
  CHECK(written<codec::Crc32>(R"({"location": "end"})") == to_json(parse_json(R"({"location": "end"})")));
  refuse<codec::Crc32>(R"({"location": "middle"})", "configuration.location");
}

TEST_CASE("shuffle: bytes of elements by their places (NUM-SHUFFLE, G-36)") {
  CHECK(encoded(codec::Shuffle{}, eight) == test::hex("0004010502060307"));
  CHECK(decoded(codec::Shuffle{}, test::hex("0004010502060307"), 8) == eight);
  CHECK_THROWS_AS(encoded(codec::Shuffle{}, Bytes(10)), CodecError);
  CHECK_THROWS_AS(decoded(codec::Shuffle{}, Bytes(10), 10), CodecError);
  CHECK_THROWS_AS(decoded(codec::Shuffle{}, Bytes(8), 4), CodecError);
  for (std::size_t size : {0u, 1u}) CHECK(encoded(codec::Shuffle{size}, Bytes(10)) == Bytes(10));
  test::Random random{3};
  for (std::size_t size : {2u, 3u, 8u, 16u}) {
    auto const bytes = random.noise(size * 37);
    CHECK(decoded(codec::Shuffle{size}, encoded(codec::Shuffle{size}, bytes), bytes.size()) == bytes);
  }
  CHECK(made<codec::Shuffle>("{}").elementsize == 4);
}

TEST_CASE("delta: differences of integers wrap around, and may be of another type (NUM-DELTA, G-37)") {
  auto const narrow = made<codec::Delta>(R"({"dtype": "<i4", "astype": "|i1"})");
  CHECK(differences(narrow, test::hex("64000000650000006300000063000000"), 4) == test::hex("6401fe00"));
  CHECK(decoded(narrow, test::hex("6401fe00"), 16) == test::hex("64000000650000006300000063000000"));
  auto const bytes = made<codec::Delta>(R"({"dtype": "|u1"})");
  CHECK(differences(bytes, test::hex("0100ff"), 3) == test::hex("01ffff"));
  CHECK(decoded(bytes, test::hex("01ffff"), 3) == test::hex("0100ff"));
  auto const wide = made<codec::Delta>(R"({"dtype": "|u1", "astype": "<i2"})");
  CHECK(decoded(wide, test::hex("ff000200"), 2) == test::hex("ff01"));
  std::vector<float> const numbers{0.5f, 1.25f, -3.0f};
  auto const real = made<codec::Delta>(R"({"dtype": "<f4", "astype": "<f4"})");
  auto const as_bytes = test::memory_of(numbers);
  CHECK(differences(real, as_bytes, 12) == test::memory_of(std::vector<float>{0.5f, 0.75f, -4.25f}));
  CHECK(decoded(real, differences(real, as_bytes, 12), 12) == as_bytes);
  auto const wide_integers = made<codec::Delta>(R"({"dtype": "<i8"})");
  auto const extremes =
      test::memory_of(std::vector{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()});
  CHECK(differences(wide_integers, extremes, 16) == test::hex("0000000000000080ffffffffffffffff"));
  CHECK(decoded(wide_integers, differences(wide_integers, extremes, 16), 16) == extremes);
  // numcodecs' encoding of them, and its decoding: each sum is rounded.
  auto const half = made<codec::Delta>(R"({"dtype": "<f2"})");
  auto const halves = test::hex("8835933a493536bd3e3b24374cb8a638d535b53447276038");
  auto const encoded_halves = test::hex("88359e37ddb788be6a4058b7debb793ceeb280ac41b42638");
  CHECK(differences(half, halves, 24) == encoded_halves);
  CHECK(decoded(half, encoded_halves, 24) == test::hex("8835933a493536bd3c3b20374eb8a438d135b13400275e38"));
  CHECK(decoded(half, differences(half, test::hex("0080"), 2), 2) == test::hex("0080"));
  auto const negative_zero = test::hex("00000080");
  CHECK(decoded(real, differences(real, negative_zero, 4), 4) == negative_zero);
  CHECK(narrow.encoded({{4}, data_type_of<std::int32_t>()}).type == data_type_of<std::int8_t>());
  check_refused<MetadataError>(
      [&] {
        narrow.encoded({{4}, data_type_of<std::uint32_t>()});
      },
      {"configuration.dtype", "uint32"});
  CHECK_THROWS_AS(decoded(narrow, test::hex("6401fe00"), 15), CodecError);
  CHECK_THROWS_AS(decoded(wide, test::hex("ff0002"), 2), CodecError);
  CHECK_THROWS_AS(differences(wide, test::hex("ff"), 1), CodecError);
  CHECK(written<codec::Delta>(R"({"dtype": ">i4"})") == to_json(parse_json(R"({"dtype": ">i4", "astype": ">i4"})")));
  refuse<codec::Delta>(R"({"dtype": "|b1"})", "configuration.dtype");
  refuse<codec::Delta>(R"({"dtype": "<f4", "astype": "<f8"})", "configuration.astype");
  refuse<codec::Delta>(R"({"dtype": "<i4", "astype": "<f8"})", "configuration.astype");
  refuse<codec::Delta>(R"({"dtype": "<f2", "astype": "<f4"})", "configuration.astype");
  refuse<codec::Delta>(R"({"dtype": "bfloat16"})", "configuration.dtype");
  refuse<codec::Delta>(R"({"dtype": "=i2"})", "configuration.dtype: found \"=i2\", expected a NumPy type string");
  refuse<codec::Delta>("{}", "configuration.dtype is missing");
}

}  // namespace numcodecs_tests
