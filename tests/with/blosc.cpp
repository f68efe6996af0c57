#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include <support/codec_run.hpp>
#include <support/document.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <tessera/codec/detail/configuration.hpp>
#include <tessera/with/blosc.hpp>

using namespace tessera;
using test::Bytes;
using test::check_refused;
using test::decoded;
using test::encoded;

static codec::Blosc blosc(std::string const& configuration) {
  return make_codec<codec::Blosc>(test::specification(R"({"name": "blosc", "configuration": )" + configuration + "}"));
}

static constexpr char const* sound =
    R"({"typesize": 4, "cname": "lz4", "clevel": 5, "shuffle": "bitshuffle", "blocksize": 0})";

/// The valid configuration with one member set to something else, or removed.
static std::string with(std::string const& name, std::string const& json) {
  test::Document document;
  document.set("typesize", "4").set("cname", "\"lz4\"").set("clevel", "5").set("shuffle", "\"shuffle\"");
  document.set("blocksize", "0");
  return json.empty() ? document.remove(name).text() : document.set(name, json).text();
}

TEST_CASE("blosc: its five members (CODEC-BLOSC-01..05)") {
  auto const codec = blosc(sound);
  CHECK(codec.cname == "lz4");
  CHECK(codec.clevel == 5);
  CHECK(codec.shuffle == "bitshuffle");
  CHECK(codec.typesize == 4);
  CHECK(codec.blocksize == 0);
  for (auto* cname : {"lz4", "lz4hc", "blosclz", "zstd", "snappy", "zlib"})
    CHECK(blosc(with("cname", '"' + std::string{cname} + '"')).cname == cname);
  for (auto* shuffle : {"noshuffle", "shuffle", "bitshuffle"})
    CHECK(blosc(with("shuffle", '"' + std::string{shuffle} + '"')).shuffle == shuffle);
  CHECK(blosc(with("blocksize", "")).blocksize == 0);
  CHECK(blosc(with("blocksize", "4096")).blocksize == 4096);
  CHECK(blosc(R"({"cname": "lz4", "clevel": 0, "shuffle": "noshuffle"})").shuffle == "noshuffle");
}

TEST_CASE("blosc: every wrong member is refused by name (CODEC-BLOSC-01..05)") {
  auto refuse = [](char const* name, char const* json) {
    CAPTURE(std::string{name});
    CAPTURE(std::string{json});
    auto const member = "configuration." + std::string{name};
    check_refused<MetadataError>([&] { blosc(with(name, json)); }, {"codec blosc", member.c_str()});
  };
  for (auto* json : {"", "\"lzma\"", "\"LZ4\"", "1", "null"}) refuse("cname", json);
  for (auto* json : {"", "-1", "10", "5.0", "\"5\""}) refuse("clevel", json);
  for (auto* json : {"", "1", "-1", "\"autoshuffle\"", "true"}) refuse("shuffle", json);
  for (auto* json : {"", "0", "-4", "4.0", "\"4\""}) refuse("typesize", json);
  for (auto* json : {"-1", "0.0", "\"auto\"", "null"}) refuse("blocksize", json);
  refuse("nthreads", "4");
}

TEST_CASE("blosc: what it was made from comes out again") {
  auto const found = specification_of(blosc(sound));
  CHECK(found.name == "blosc");
  CHECK(found.configuration == parse_json(sound));
}

TEST_CASE("blosc: bytes come back, with every compressor and shuffle that the library has") {
  std::uint64_t const seed = 31;
  CAPTURE(seed);
  test::Random random{seed};
  std::istringstream compressors{blosc_list_compressors()};
  int tried = 0;
  for (std::string cname; std::getline(compressors, cname, ','); ++tried)
    for (auto* shuffle : {"noshuffle", "shuffle", "bitshuffle"})
      for (std::size_t typesize : {1u, 2u, 4u, 8u, 300u}) {
        CAPTURE(std::string{cname});
        CAPTURE(std::string{shuffle});
        CAPTURE(typesize);
        codec::Blosc const codec{cname, static_cast<int>(random(0, 9)), shuffle, typesize,
                                 random.one_in(2) ? 0u : 512u};
        for (std::size_t size : {0u, 1u, 15u, 128u, 5000u, 70'001u}) {
          CAPTURE(size);
          auto const elements = random.one_in(2) ? random.smooth(size) : random.noise(size);
          CHECK(decoded(codec, encoded(codec, elements), size) == elements);
        }
      }
  CHECK(tried >= 3);
}

TEST_CASE("blosc: a mebibyte comes back") {
  std::uint64_t const seed = 32;
  CAPTURE(seed);
  auto const elements = test::Random{seed}.smooth(1 << 20);
  codec::Blosc const codec{"lz4", 5, "shuffle", 4, 0};
  auto const stored = encoded(codec, elements);
  CHECK(stored.size() < elements.size());
  CHECK(decoded(codec, stored, elements.size()) == elements);
}

TEST_CASE("blosc: known buffers (G-35)") {
  auto const zeros = test::hex("02013108000200000002000024000000140000000c0000001f000100ffe8500000000000");
  auto const stored = test::hex("0201330410000000100000002000000000000000010000000200000003000000");
  CHECK(decoded(codec::Blosc{}, zeros, 512) == Bytes(512));
  CHECK(decoded(codec::Blosc{}, stored, 16) == test::hex("00000000010000000200000003000000"));
}

static void set(Bytes& buffer, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) buffer[at + i] = static_cast<std::byte>(value >> 8 * i & 0xff);
}

TEST_CASE("blosc: a header that lies is an error (CODEC-BLOSC-07)") {
  codec::Blosc const codec{"lz4", 5, "shuffle", 4, 0};
  std::uint64_t const seed = 33;
  CAPTURE(seed);
  auto const elements = test::Random{seed}.smooth(4000);
  auto const sound_buffer = encoded(codec, elements);
  REQUIRE(decoded(codec, sound_buffer, 4000) == elements);
  auto refuse = [&](auto&& change) {
    auto buffer = sound_buffer;
    change(buffer);
    CHECK_THROWS_AS(decoded(codec, buffer, 4000), CodecError);
  };
  for (std::uint32_t lie : {1u, 15u, 4001u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
    CAPTURE(lie);
    if (lie > 4000) refuse([&](Bytes& b) { set(b, 4, lie); });  // nbytes
    refuse([&](Bytes& b) { set(b, 12, lie); });                 // cbytes
    if (lie > 4000) refuse([&](Bytes& b) { set(b, 8, lie); });  // blocksize
  }
  refuse([](Bytes& b) { set(b, 8, 0); });
  refuse([](Bytes& b) { b[3] = std::byte{0}; });      // typesize
  refuse([](Bytes& b) { b[2] |= std::byte{0xe0}; });  // no such compressor
  refuse([](Bytes& b) { b.pop_back(); });
  refuse([](Bytes& b) { b.resize(15); });
  refuse([](Bytes& b) { b.clear(); });
  refuse([](Bytes& b) { b = test::bytes("this is no blosc buffer at all, but text"); });
}

TEST_CASE("blosc: bytes behind a buffer are passed over, as z5 has left them") {
  codec::Blosc const codec{"lz4", 5, "shuffle", 4, 0};
  auto const elements = test::Random{34}.smooth(4000);
  auto buffer = encoded(codec, elements);
  for (std::size_t more : {1u, 15u, 4000u}) {
    buffer.resize(buffer.size() + more, std::byte{0xff});
    CHECK(decoded(codec, buffer, 4000) == elements);
  }
}

TEST_CASE("blosc: a chunk of blosc2 is refused by that name") {
  auto buffer = encoded(codec::Blosc{"lz4", 5, "shuffle", 4, 0}, Bytes(1000));
  for (int format : {3, 4, 5}) {
    buffer[0] = static_cast<std::byte>(format);
    check_refused<CodecError>([&] { decoded(codec::Blosc{}, buffer, 1000); },
                              {"found a chunk of blosc2", "expected one of blosc 1"});
  }
}

TEST_CASE("blosc: more than there is room for is an error, with both sizes (CODEC-CHAIN-06)") {
  codec::Blosc const codec{"lz4", 5, "shuffle", 4, 0};
  auto const buffer = encoded(codec, Bytes(1000));
  check_refused<CodecError>([&] { decoded(codec, buffer, 999); }, {"1000 bytes", "999"});
}

TEST_CASE("blosc: flipped bits are an error or other bytes, never more than the room") {
  codec::Blosc const codec{"zstd", 5, "bitshuffle", 2, 0};
  std::uint64_t const seed = 34;
  CAPTURE(seed);
  test::Random random{seed};
  auto const elements = random.smooth(3000);
  auto const sound_buffer = encoded(codec, elements);
  int answered = 0;
  for (int round = 0; round < 2000; ++round) {
    auto buffer = sound_buffer;
    buffer[random(0, buffer.size() - 1)] ^= static_cast<std::byte>(1u << random(0, 7));
    try {
      answered += decoded(codec, buffer, 3000).size() <= 3000;
    } catch (CodecError const&) {
      ++answered;
    }
  }
  CHECK(answered == 2000);
}
