#include <string>

#include <doctest/doctest.h>

#include <support/codec_run.hpp>
#include <support/document.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/codec/detail/configuration.hpp>

using namespace tessera;
using test::Bytes;
using test::check_refused;
using test::decoded;
using test::encoded;

TEST_CASE("crc32c: the check value and the vectors of RFC 3720 B.4 (CODEC-CRC32C-02)") {
  CHECK(crc32c(test::view(test::bytes("123456789"))) == 0xe3069283u);
  CHECK(crc32c(test::view(Bytes(32))) == 0x8a9136aau);
  CHECK(crc32c(test::view(Bytes(32, std::byte{0xff}))) == 0x62a8ab43u);
  Bytes up(32), down(32);
  for (std::size_t i = 0; i < 32; ++i) up[i] = down[31 - i] = static_cast<std::byte>(i);
  CHECK(crc32c(test::view(up)) == 0x46dd794eu);
  CHECK(crc32c(test::view(down)) == 0x113fdb5cu);
  CHECK(crc32c({}) == 0);
}

TEST_CASE("crc32c: the instruction and the tables agree, wherever a text begins and ends, and in parts") {
  std::uint64_t const seed = 41;
  CAPTURE(seed);
  test::Random random{seed};
  auto const noise = random.noise(5000);
  for (int round = 0; round < 300; ++round) {
    auto const first = random(0, 40), size = random(0, round < 200 ? 70 : noise.size() - first);
    auto const part = test::view(noise).sub(first, size);
    auto const found = crc32c(part);
    CHECK(found == ~detail::crc32c_portable(~0u, part.data, part.size));
    auto const cut = random(0, size);
    CHECK(found == crc32c(part.sub(cut, size - cut), crc32c(part.sub(0, cut))));
  }
}

TEST_CASE("crc32c: bytes come back, four more are stored, little-endian (CODEC-CRC32C-01)") {
  std::uint64_t const seed = 42;
  CAPTURE(seed);
  test::Random random{seed};
  for (std::size_t size : {0u, 1u, 3u, 16383u, 16384u, 16385u, 100000u}) {
    auto const noise = random.noise(size);
    auto const stored = encoded(codec::Crc32c{}, noise);
    CHECK(stored.size() == size + 4);
    CHECK(decoded(codec::Crc32c{}, stored, size) == noise);
  }
  CHECK(encoded(codec::Crc32c{}, test::bytes("123456789")) ==
        test::hex("313233343536373839 839206e3"));
}

TEST_CASE("crc32c: every flipped bit is found; too short and too long are errors (CODEC-CRC32C-04, CODEC-CRC32C-05)") {
  auto const stored = encoded(codec::Crc32c{}, test::bytes("123456789"));
  for (std::size_t bit = 0; bit < stored.size() * 8; ++bit) {
    auto damaged = stored;
    damaged[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    check_refused<CodecError>([&] { decoded(codec::Crc32c{}, damaged, 9); }, {"checksum", "expected"});
  }
  for (std::size_t size = 0; size < 4; ++size)
    check_refused<CodecError>([&] { decoded(codec::Crc32c{}, Bytes(size), 9); }, {"at least a checksum of 4"});
  check_refused<CodecError>([&] { decoded(codec::Crc32c{}, stored, 8); }, {"found 9 bytes", "expected 8"});
}

TEST_CASE("crc32c: no configuration (CODEC-CRC32C-01)") {
  CHECK_NOTHROW(make_codec<codec::Crc32c>(test::specification(R"("crc32c")")));
  CHECK_NOTHROW(make_codec<codec::Crc32c>(test::specification(R"({"name": "crc32c", "configuration": {}})")));
  check_refused<MetadataError>(
      [] { make_codec<codec::Crc32c>(test::specification(R"({"name": "crc32c", "configuration": {"a": 1}})")); },
      {"crc32c", "configuration.a is unknown"});
}
