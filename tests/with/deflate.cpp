#include <string>

#include <doctest/doctest.h>

#include <support/codec_run.hpp>
#include <support/document.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <tessera/codec/detail/configuration.hpp>
#include <tessera/with/deflate.hpp>

using namespace tessera;
using test::Bytes;
using test::check_refused;
using test::decoded;
using test::encoded;
using test::joined;

static codec::Gzip gzip(std::string const& configuration) {
  return make_codec<codec::Gzip>(test::specification(R"({"name": "gzip", "configuration": )" + configuration + "}"));
}

TEST_CASE("gzip: a level from 0 to 9 and nothing else (CODEC-GZIP-01)") {
  for (int level = 0; level <= 9; ++level)
    CHECK(gzip(R"({"level": )" + std::to_string(level) + "}").level == level);
  auto refuse = [](char const* configuration, char const* member) {
    CAPTURE(std::string{configuration});
    check_refused<MetadataError>([&] { gzip(configuration); }, {"codec gzip", member});
  };
  refuse("{}", "configuration.level is missing");
  for (auto* json : {R"({"level": -1})", R"({"level": 10})", R"({"level": 5.0})", R"({"level": "5"})"})
    refuse(json, "configuration.level");
  refuse(R"({"level": 5, "mtime": 0})", "configuration.mtime is unknown");
  CHECK(specification_of(gzip(R"({"level": 7})")).configuration == parse_json(R"({"level": 7})"));
}

TEST_CASE("gzip: bytes come back, of every size and level") {
  std::uint64_t const seed = 51;
  CAPTURE(seed);
  test::Random random{seed};
  for (std::size_t size : {0u, 1u, 2u, 7u, 100u, 4096u, 65537u, 1048576u})
    for (int level : {0, 1, 5, 9}) {
      CAPTURE(size);
      CAPTURE(level);
      codec::Gzip const codec{level};
      auto const smooth = random.smooth(size), noise = random.noise(size);
      CHECK(decoded(codec, encoded(codec, smooth), size) == smooth);
      CHECK(decoded(codec, encoded(codec, noise), size) == noise);
    }
}

TEST_CASE("gzip: members of other programs, with names, comments and a header's checksum (CODEC-GZIP-02)") {
  // FNAME, by hand
  CHECK(decoded(codec::Gzip{}, encoded(codec::Gzip{0}, test::bytes("01234567")), 8) == test::bytes("01234567"));
  auto const body = encoded(codec::Gzip{6}, test::bytes("01234567"));
  Bytes const named = joined({test::hex("1f8b08 08 00000000 0003"), test::bytes("name"), Bytes(1),
                              Bytes{body.begin() + 10, body.end()}});
  CHECK(decoded(codec::Gzip{}, named, 8) == test::bytes("01234567"));
}

TEST_CASE("gzip: several members are their contents, one after the other (CODEC-GZIP-02)") {
  codec::Gzip const codec;
  auto const a = encoded(codec, test::bytes("first ")), b = encoded(codec, test::bytes("second")),
             empty = encoded(codec, {});
  CHECK(decoded(codec, joined({a, b}), 12) == test::bytes("first second"));
  CHECK(decoded(codec, joined({empty, a, empty, b}), 12) == test::bytes("first second"));
}

TEST_CASE("gzip: zeros behind a member are padding") {
  codec::Gzip const codec;
  auto const member = encoded(codec, test::bytes("first "));
  for (std::size_t zeros : {1u, 3u, 18u, 500u}) {
    CAPTURE(zeros);
    CHECK(decoded(codec, joined({member, Bytes(zeros)}), 6) == test::bytes("first "));
    CHECK(decoded(codec, joined({member, Bytes(zeros), member, Bytes(zeros)}), 12) == test::bytes("first first "));
    CHECK_THROWS_AS(decoded(codec, joined({member, Bytes(zeros), test::bytes("x")}), 6), CodecError);
    CHECK_THROWS_AS(decoded(codec, joined({Bytes(zeros), member}), 6), CodecError);
  }
}

TEST_CASE("gzip: what is no member, trailing bytes and damage are errors (CODEC-GZIP-02)") {
  codec::Gzip const codec;
  auto const text = test::bytes("some elements of a chunk");
  auto const member = encoded(codec, text);
  for (std::size_t size = 0; size < member.size(); ++size) {
    Bytes const truncated{member.begin(), member.begin() + static_cast<std::ptrdiff_t>(size)};
    CHECK_THROWS_AS(decoded(codec, truncated, 24), CodecError);
  }
  check_refused<CodecError>([&] { decoded(codec, joined({member, test::bytes("x")}), 24); },
                            {"does not begin a complete, valid gzip member"});
  for (std::size_t bit = (member.size() - 8) * 8; bit < member.size() * 8; ++bit) {  // CRC-32 and length
    auto damaged = member;
    damaged[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    CHECK_THROWS_AS(decoded(codec, damaged, 24), CodecError);
  }
}

TEST_CASE("gzip: more than there is room for is an error (CODEC-CHAIN-06)") {
  codec::Gzip const codec;
  auto const bomb = encoded(codec, Bytes(1u << 20));
  CHECK(bomb.size() < 2048);
  check_refused<CodecError>([&] { decoded(codec, bomb, 1000); }, {"1000", "more data than expected"});
  CHECK(decoded(codec, bomb, (1u << 20) + 1).size() == 1u << 20);  // the pipeline rejects less
}

TEST_CASE("gzip: equal chunks are equal bytes: there is no time in them") {
  auto const member = encoded(codec::Gzip{}, test::bytes("abc"));
  CHECK(Bytes{member.begin() + 4, member.begin() + 8} == Bytes(4));
}
