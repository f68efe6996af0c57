#include <string>

#include <doctest/doctest.h>

#include <support/codec_run.hpp>
#include <support/document.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <tessera/codec/detail/configuration.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;
using test::Bytes;
using test::check_refused;
using test::decoded;
using test::encoded;
using test::joined;

static codec::Zstd zstd(std::string const& configuration) {
  return make_codec<codec::Zstd>(test::specification(R"({"name": "zstd", "configuration": )" + configuration + "}"));
}

TEST_CASE("zstd: level and checksum (CODEC-ZSTD-01, 02)") {
  CHECK(zstd(R"({"level": 19, "checksum": true})").level == 19);
  CHECK(zstd(R"({"level": 19, "checksum": true})").checksum);
  CHECK_FALSE(zstd(R"({"level": 0})").checksum);
  CHECK(zstd(R"({"level": -131072})").level == -131072);
  CHECK(zstd(R"({"level": 22})").level == 22);
}

TEST_CASE("zstd: everything else in its configuration is refused (CODEC-ZSTD-01, 02)") {
  auto refuse = [](char const* configuration, std::initializer_list<char const*> words) {
    CAPTURE(std::string{configuration});
    check_refused<MetadataError>([&] { zstd(configuration); }, words);
  };
  refuse("{}", {"codec zstd", "configuration.level is missing"});
  refuse(R"({"level": 23})", {"codec zstd", "configuration.level", "found 23", "-131072 to 22"});
  refuse(R"({"level": -131073})", {"configuration.level"});
  refuse(R"({"level": 3.0})", {"configuration.level", "found 3.0"});
  refuse(R"({"level": "3"})", {"configuration.level"});
  refuse(R"({"level": 3, "checksum": 1})", {"configuration.checksum", "true or false"});
  refuse(R"({"level": 3, "checksum": null})", {"configuration.checksum"});
  refuse(R"({"level": 3, "threads": 4})", {"configuration.threads is unknown"});
}

TEST_CASE("zstd: what it was made from comes out again") {
  for (std::string json : {R"({"level": 19, "checksum": true})", R"({"level": -5, "checksum": false})"}) {
    auto const found = specification_of(zstd(json));
    CHECK(found.name == "zstd");
    CHECK(found.configuration == parse_json(json));
  }
}

TEST_CASE("zstd: bytes come back, of every size and level") {
  std::uint64_t const seed = 21;
  CAPTURE(seed);
  test::Random random{seed};
  for (std::size_t size : {0u, 1u, 2u, 7u, 100u, 4096u, 65537u, 1048576u})
    for (int level : {-131072, 0, 1, 3, 9}) {
      CAPTURE(size);
      CAPTURE(level);
      codec::Zstd const codec{level, random.one_in(2)};
      auto const smooth = random.smooth(size), noise = random.noise(size);
      CHECK(decoded(codec, encoded(codec, smooth), size) == smooth);
      CHECK(decoded(codec, encoded(codec, noise), size) == noise);
    }
}

TEST_CASE("zstd: known frames, with and without a checksum (G-34)") {
  auto const plain = test::hex("28b52ffd2008410000 0001020304050607");
  auto const checked = test::hex("28b52ffd2408410000 0001020304050607 8d1bb814");
  auto const elements = test::hex("0001020304050607");
  CHECK(decoded(codec::Zstd{}, plain, 8) == elements);
  CHECK(decoded(codec::Zstd{}, checked, 8) == elements);
}

TEST_CASE("zstd: a checksum is verified whatever the configuration says (CODEC-ZSTD-03)") {
  auto wrong_sum = test::hex("28b52ffd2408410000 0001020304050607 8d1bb815");
  auto wrong_byte = test::hex("28b52ffd2408410000 0001020304050608 8d1bb814");
  CHECK_THROWS_AS(decoded(codec::Zstd{0, false}, wrong_sum, 8), CodecError);
  CHECK_THROWS_AS(decoded(codec::Zstd{0, false}, wrong_byte, 8), CodecError);
}

TEST_CASE("zstd: checksum decides whether frames end in one") {
  auto const elements = test::bytes("some elements of a chunk");
  auto const plain = encoded(codec::Zstd{3, false}, elements), checked = encoded(codec::Zstd{3, true}, elements);
  CHECK(checked.size() == plain.size() + 4);
}

TEST_CASE("zstd: several frames, skippable frames, frames without a size (CODEC-ZSTD-04)") {
  codec::Zstd const codec;
  auto const a = test::bytes("first "), b = test::bytes("second");
  auto const skippable = test::hex("502a4d18 03000000 aabbcc");
  CHECK(decoded(codec, joined({encoded(codec, a), encoded(codec, b)}), 12) == test::bytes("first second"));
  CHECK(decoded(codec, joined({skippable, encoded(codec, a), skippable}), 6) == a);
  CHECK(decoded(codec, skippable, 6).empty());
  // no single segment, no content size: a window descriptor, then one raw block
  auto const streamed = test::hex("28b52ffd 00 48 410000 0001020304050607");
  CHECK(decoded(codec, streamed, 8) == test::hex("0001020304050607"));
}

TEST_CASE("zstd: more than there is room for is an error (CODEC-CHAIN-06)") {
  codec::Zstd const codec;
  auto const frame = encoded(codec, Bytes(1000));
  check_refused<CodecError>([&] { decoded(codec, frame, 999); }, {"999"});
  CHECK_THROWS_AS(decoded(codec, frame, 0), CodecError);
  CHECK_THROWS_AS(decoded(codec, test::hex("28b52ffd 00 48 410000 0001020304050607"), 7), CodecError);
  CHECK(decoded(codec, frame, 1001).size() == 1000);  // the pipeline rejects less
}

TEST_CASE("zstd: what is no frame is an error (CODEC-ZSTD-04)") {
  codec::Zstd const codec;
  auto const frame = encoded(codec, test::bytes("some elements of a chunk"));
  for (std::size_t size = 1; size < frame.size(); ++size) {
    CAPTURE(size);
    Bytes const truncated{frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size)};
    CHECK_THROWS_AS(decoded(codec, truncated, 24), CodecError);
  }
  CHECK_THROWS_AS(decoded(codec, joined({frame, test::bytes("x")}), 24), CodecError);
  CHECK_THROWS_AS(decoded(codec, test::bytes("not a zstd frame"), 24), CodecError);
  // the header asks for a dictionary
  CHECK_THROWS_AS(decoded(codec, test::hex("28b52ffd 21 07 08 410000 0001020304050607"), 8), CodecError);
}

TEST_CASE("zstd: after an error the next chunk decodes") {
  Queue<space::Host> on;
  codec::Zstd const codec;
  auto const frame = encoded(codec, test::bytes("abc")), bad = test::bytes("not a zstd frame");
  Bytes to(3);
  for (int round = 0; round < 3; ++round) {
    CHECK_THROWS_AS(codec.decode(test::view(bad), test::span(to), on), CodecError);
    CHECK(codec.decode(test::view(frame), test::span(to), on) == 3);
    CHECK(to == test::bytes("abc"));
  }
}

TEST_CASE("zstd: the most that bytes decode to is told by them, though the frames do not say or lie") {
  codec::Zstd const codec;
  auto const bound = [&](Bytes const& bytes) { return codec.decoded_bound(test::view(bytes)); };
  Bytes const zeros(8 << 20);
  auto const frame = encoded(codec, zeros), abc = encoded(codec, test::bytes("abc"));
  auto const skipped = test::hex("50 2a4d18 02000000 ffff");
  CHECK(bound({}) == 0);
  CHECK(bound(joined({abc, skipped, frame, abc})) == zeros.size() + 6);
  // Blocks of one byte, repeated 128 KiB times: the maximum of that few bytes. The frame does not tell the size.
  auto blocks = test::hex("28b52ffd 00 58");
  for (int i = 0; i < 64; ++i) blocks = joined({blocks, test::hex(i < 63 ? "020010 07" : "030010 07")});
  CHECK(decoded(codec, blocks, 8 << 20) == Bytes(8 << 20, std::byte{7}));
  CHECK(bound(blocks) >= 8 << 20);
  CHECK(bound(blocks) <= 9 << 20);
  auto const lies = test::hex("28b52ffd e0 000000000000ff00 010000");
  for (auto const& bytes : {lies, joined({lies, abc}), test::bytes("not a frame"), Bytes(abc.begin(), abc.end() - 2)})
    CHECK(bound(bytes) <= bytes.size() * (128 << 10) / 4);
}

TEST_CASE("zstd: the beginning of a chunk is that of the whole, and a part of a damaged frame is an error or other bytes") {
  std::uint64_t const seed = 22;
  CAPTURE(seed);
  test::Random random{seed};
  codec::Zstd const plain{1, false}, checked{1, true};
  std::size_t const whole = 400'000;
  auto const bytes = random.smooth(whole);
  auto const half = static_cast<std::ptrdiff_t>(whole / 2);
  Bytes const first{bytes.begin(), bytes.begin() + half}, second{bytes.begin() + half, bytes.end()};
  auto unsized = test::hex("28b52ffd 00 58");  // a window of 2 MiB, no content size, then raw blocks
  for (std::size_t at = 0; at < whole; at += 100'000) {
    auto const header = 100'000u << 3 | (at + 100'000 == whole);
    for (int byte = 0; byte < 3; ++byte) unsized.push_back(static_cast<std::byte>(header >> (8 * byte)));
    unsized.insert(unsized.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                   bytes.begin() + static_cast<std::ptrdiff_t>(at + 100'000));
  }
  auto const skipped = test::hex("50 2a4d18 02000000 ffff");
  auto const frame = encoded(plain, bytes);
  for (auto const& value : {frame, encoded(checked, bytes), joined({encoded(plain, first), encoded(plain, second)}),
                            unsized, joined({skipped, frame})})
    for (std::size_t const size : {std::size_t{1}, random(1, whole), std::size_t{128 << 10}, whole - 1, whole}) {
      CAPTURE(size);
      auto const part = test::decoded_part(plain, value, {0, size, whole});
      CHECK(part == Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
    }

  check_refused<CodecError>([&] { test::decoded_part(plain, frame, {0, 10, whole + 1}); }, {"expected 400001"});
  check_refused<CodecError>([&] { test::decoded_part(plain, frame, {0, 10, whole - 1}); }, {"399999"});
  check_refused<CodecError>([&] { test::decoded_part(plain, test::bytes("not a zstd frame"), {0, 10, whole}); }, {});
  check_refused<CodecError>([&] { test::decoded_part(plain, {}, {0, 10, whole}); }, {});
  int answered = 0;
  for (int round = 0; round < 400; ++round) {
    auto value = frame;
    if (round % 4 == 0)
      value.resize(random(0, value.size() - 1));
    else
      value[random(0, round % 2 ? 30 : value.size() - 1)] ^= static_cast<std::byte>(1u << random(0, 7));
    try {
      (void)test::decoded_part(plain, value, {0, random(1, whole), whole});
      ++answered;
    } catch (CodecError const&) {
      ++answered;
    }
  }
  CHECK(answered == 400);
}
