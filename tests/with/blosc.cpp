#include <algorithm>
#include <cstddef>
#include <cstdint>
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
using test::decoded_part;
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

static Bytes part_of(Bytes const& bytes, ChunkPart part) {
  auto const first = bytes.begin() + static_cast<std::ptrdiff_t>(part.first);
  return {first, first + static_cast<std::ptrdiff_t>(part.size)};
}
static ChunkPart random_part(test::Random& random, std::size_t whole) {
  auto const first = random(0, whole - 1);
  return {first, random(1, random.one_in(2) ? std::min<std::size_t>(9, whole - first) : whole - first), whole};
}

TEST_CASE("blosc: parts are those of the whole chunk, with every compressor, shuffle and size of element and block") {
  std::uint64_t const seed = 35;
  CAPTURE(seed);
  test::Random random{seed};
  std::istringstream compressors{blosc_list_compressors()};
  for (std::string cname; std::getline(compressors, cname, ',');)
    for (auto* shuffle : {"noshuffle", "shuffle", "bitshuffle"})
      for (std::size_t typesize : {1u, 3u, 4u, 16u, 17u, 255u})
        for (std::size_t size : {1u, 127u, 128u, 5000u, 30'001u, 70'000u}) {
          CAPTURE(std::string{cname});
          CAPTURE(std::string{shuffle});
          CAPTURE(typesize);
          CAPTURE(size);
          codec::Blosc const codec{cname, static_cast<int>(random(0, 9)), shuffle, typesize,
                                   random.one_in(3) ? 0u : random(128, 9000)};
          auto const elements = random.one_in(3) ? random.noise(size) : random.smooth(size);
          auto const stored = encoded(codec, elements);
          for (int i = 0; i < 4; ++i) {
            auto const part = random_part(random, size);
            CHECK(decoded_part(codec, stored, part) == part_of(elements, part));
          }
        }
}

TEST_CASE("blosc: blocks in any order, as several threads write them") {
  codec::Blosc const codec{"zstd", 5, "shuffle", 4, 1024};
  auto const elements = test::Random{36}.smooth(4096);
  auto const stored = encoded(codec, elements);
  auto const number = [](Bytes const& bytes, std::size_t at) {
    std::size_t result = 0;
    for (std::size_t i = 4; i-- > 0;) result = result << 8 | std::to_integer<std::size_t>(bytes[at + i]);
    return result;
  };
  constexpr std::size_t table = 16, blocks = 4, first = table + 4 * blocks;
  REQUIRE(number(stored, table) == first);
  Bytes turned{stored.begin(), stored.begin() + first};
  for (std::size_t i = blocks; i-- > 0;) {
    auto const begin = number(stored, table + 4 * i);
    auto const end = i + 1 < blocks ? number(stored, table + 4 * i + 4) : stored.size();
    set(turned, table + 4 * i, static_cast<std::uint32_t>(turned.size()));
    turned.insert(turned.end(), stored.begin() + static_cast<std::ptrdiff_t>(begin),
                  stored.begin() + static_cast<std::ptrdiff_t>(end));
  }
  REQUIRE(decoded(codec, turned, 4096) == elements);
  for (std::size_t at : {0u, 1000u, 2000u, 3000u, 4000u})
    CHECK(decoded_part(codec, turned, {at, 96, 4096}) == part_of(elements, {at, 96, 4096}));
}

TEST_CASE("blosc: a part of a damaged chunk is an error, or other bytes, as the whole is") {
  std::uint64_t const seed = 37;
  CAPTURE(seed);
  test::Random random{seed};
  int answered = 0;
  for (int round = 0; round < 4000; ++round) {
    auto* const shuffle = random.one_in(2) ? "bitshuffle" : "shuffle";
    codec::Blosc const codec{random.one_in(2) ? "zstd" : "lz4", 5, shuffle, random(1, 8), 512};
    auto const elements = random.smooth(3000);
    auto buffer = encoded(codec, elements);
    auto const where = random.one_in(2) ? std::min<std::size_t>(buffer.size(), 60) : buffer.size();
    if (random.one_in(4))
      buffer.resize(random(0, buffer.size() - 1));
    else
      buffer[random(0, where - 1)] ^= static_cast<std::byte>(1u << random(0, 7));
    buffer.shrink_to_fit();
    auto const part = random_part(random, 3000);
    try {
      answered += decoded_part(codec, buffer, part).size() == part.size;
    } catch (CodecError const&) {
      ++answered;
    }
  }
  CHECK(answered == 4000);
  auto const stored = encoded(codec::Blosc{}, Bytes(1000));
  check_refused<CodecError>([&] { decoded_part(codec::Blosc{}, stored, {0, 10, 1001}); }, {"1000 bytes", "1001"});
}
