// The specification's requirements on chunks and codecs that no other test covers.
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/codec_run.hpp>
#include <support/reference.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::check_refused;
using Memory = MemoryStore<HostBuffer>;

namespace {

void refuse_level(Value level) {
  check_refused<MetadataError>(
      [&] {
        make_codec<codec::Gzip>({"gzip", Members{{"level", level}}});
      },
      {"codec gzip", "configuration.level"});
}

float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

}  // namespace

TEST_CASE("gzip: level is an integer from 0 to 9 (CODEC-GZIP-01)") {
  for (int level = 0; level <= 9; ++level) {
    auto const codec = make_codec<codec::Gzip>({"gzip", Members{{"level", Value::integer(level)}}});
    CHECK(codec.level == level);
    CHECK(test::decoded(codec, test::encoded(codec, test::bytes("abcabcabc")), 9) == test::bytes("abcabcabc"));
  }
  for (Value const& level : {Value::integer(-1), Value::integer(10), Value{Number{"1.0"}}, Value{"1"}, Value{}})
    refuse_level(level);
  check_refused<MetadataError>([] { make_codec<codec::Gzip>({"gzip"}); }, {"configuration.level is missing"});
  check_refused<MetadataError>(
      [] {
        make_codec<codec::Gzip>({"gzip", Members{{"level", Value::integer(1)}, {"mtime", Value::integer(0)}}});
      },
      {"configuration.mtime is unknown"});
}

TEST_CASE("gzip: checksum and length are held to, and members are whole (CODEC-GZIP-02, CODEC-CHAIN-05)") {
  auto const good = test::encoded(codec::Gzip{}, test::bytes("abcabcabc"));
  for (std::size_t i = good.size() - 8; i < good.size(); ++i) {
    auto bad = good;
    bad[i] ^= std::byte{0x10};
    check_refused<CodecError>([&] { test::decoded(codec::Gzip{}, bad, 9); }, {"do not decode to 9"});
  }
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK_THROWS_AS(test::decoded(codec::Gzip{}, {good.begin(), good.begin() + static_cast<long>(size)}, 9),
                    CodecError);
}

TEST_CASE("gzip: several members and header extras, but nothing behind them (CODEC-GZIP-03)") {
  // by Python: "abc" with a name and a time, "de" without
  auto const named = test::hex("1f8b080800f1536502ff6e616d652e62696e004b4c4a0600c241243503000000");
  auto two = named;
  auto const second = test::encoded(codec::Gzip{}, test::bytes("de"));
  two.insert(two.end(), second.begin(), second.end());
  CHECK(test::decoded(codec::Gzip{}, named, 3) == test::bytes("abc"));
  CHECK(test::decoded(codec::Gzip{}, two, 5) == test::bytes("abcde"));
  auto padded = two;  // as left by tapes and some programs
  for (auto b : test::hex("0000")) padded.push_back(b);
  CHECK(test::decoded(codec::Gzip{}, padded, 5) == test::bytes("abcde"));
  for (auto* garbage : {"01", "0001", "1f", "1f8b08", "616263"}) {
    auto bad = two;
    for (auto b : test::hex(garbage)) bad.push_back(b);
    check_refused<CodecError>([&] { test::decoded(codec::Gzip{}, bad, 5); },
                              {"does not begin a complete, valid gzip member"});
  }
  CHECK_THROWS_AS(test::decoded(codec::Gzip{}, two, 4), CodecError);  // and never more than the room
}

TEST_CASE("gzip: no time is written (CODEC-GZIP-04)") {
  auto const bytes = test::encoded(codec::Gzip{}, test::bytes("abc"));
  CHECK(test::Bytes(bytes.begin(), bytes.begin() + 8) == test::hex("1f8b080000000000"));
}

TEST_CASE("blosc: a buffer larger than the format can say is refused (CODEC-BLOSC-08)") {
  std::byte one{};
  test::HostView const huge{&one, std::size_t{BLOSC_MAX_BUFFERSIZE} + 1};  // skipped, not read
  test::HostQueue on;
  check_refused<CodecError>([&] { codec::Blosc{}.encode(huge, {&one, 1}, on); }, {"more than a blosc buffer can hold"});
  check_refused<MetadataError>(
      [] {
        make_codec<codec::Blosc>({"blosc", Members{{"cname", "lz4"},
                                                   {"clevel", Value::integer(5)},
                                                   {"shuffle", "shuffle"},
                                                   {"typesize", Value::integer(1ll << 40)}}});
      },
      {"configuration.typesize"});
}

TEST_CASE("blosc: a compressor that the library lacks is an error that says so (CODEC-BLOSC-09)") {
  auto unknown = test::encoded(codec::Blosc{"lz4"}, test::Bytes(1000));
  unknown[2] |= std::byte{0xe0};  // an unknown format
  check_refused<CodecError>([&] { test::decoded(codec::Blosc{}, unknown, 1000); },
                            {"without the compressor of an unknown format"});
  check_refused<CodecError>([] { test::encoded(codec::Blosc{"none"}, test::Bytes(1000)); },
                            {"without the compressor none"});
}

TEST_CASE("crc32c: less than four bytes, and a wrong sum, are errors (CODEC-CRC32C-04, CODEC-CRC32C-05)") {
  for (std::size_t size = 0; size < 4; ++size)
    check_refused<CodecError>([&] { test::decoded(codec::Crc32c{}, test::Bytes(size), 8); },
                              {"at least a checksum of 4"});
  auto const good = test::encoded(codec::Crc32c{}, test::bytes("123456789"));
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    auto bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    check_refused<CodecError>([&] { test::decoded(codec::Crc32c{}, bad, 9); }, {"checksum", "expected"});
  }
}

TEST_CASE("transposes compose, and part of a chunk is what it is in the whole (CODEC-TRANSPOSE-05, CODEC-CHAIN-07)") {
  Memory const store;
  using P = Pipeline<space::Host, codec::Transpose, codec::Transpose, codec::Bytes, codec::Gzip, codec::Crc32c>;
  Extents const shape{2, 3, 4}, first{2, 0, 1}, second{0, 2, 1};
  NewArray<std::uint16_t> const wanted{.shape = shape, .chunks = shape};
  auto const array =
      create_array<std::uint16_t, 3>(store, "a", wanted, P{{first}, {second}, {std::endian::little}, {}, {}});
  std::vector<std::uint16_t> elements(24);
  std::iota(elements.begin(), elements.end(), std::uint16_t{500});
  array.write(all, elements);
  auto const bytes = test::memory_of(elements);
  auto const [once, once_shape] = test::transposed(bytes, shape, first, 2);
  auto const encoded = test::bytes(test::value(store, "a/c/0/0/0"));
  auto const without_sum = test::decoded(codec::Crc32c{}, encoded, encoded.size());
  CHECK(test::decoded(codec::Gzip{}, without_sum, 48) == test::transposed(once, once_shape, second, 2).first);
  std::vector<std::uint16_t> part(2);
  array.read({{1, 2}, {0, 3, 2}, {3, 4}}, part);
  CHECK(part == std::vector<std::uint16_t>{500 + 12 + 3, 500 + 12 + 8 + 3});
}

TEST_CASE("a chunk is all fill when its bits are, and then is not stored (FILL-16, FILL-02)") {
  Memory const store;
  auto const other_nan = float_of(0x7fc00001), nan = float_of(0x7fc00000);
  NewArray<float> wanted{.shape = {2}, .chunks = {2}, .fill = other_nan};
  auto const array = create_array<float, 1>(store, "nan", wanted);
  auto const is_stored = [&](char const* key) { return test::value(store, key) != "(missing)"; };
  array.write(all, std::vector<float>{nan, nan});
  CHECK(is_stored("nan/c/0"));
  array.write(all, std::vector<float>{other_nan, other_nan});
  CHECK_FALSE(is_stored("nan/c/0"));
  std::vector<float> elements(2);
  array.read(all, elements);
  CHECK(std::bit_cast<std::uint32_t>(elements[1]) == 0x7fc00001);
  array.write(all, std::vector<float>{other_nan, other_nan}, {.store_fill_chunks = true});
  CHECK(is_stored("nan/c/0"));
  wanted.fill = 0;
  auto const zero = create_array<float, 1>(store, "zero", wanted);
  zero.write(all, std::vector<float>{-0.0f, -0.0f});
  CHECK(is_stored("zero/c/0"));
  zero.write(all, std::vector<float>{0.0f, 0.0f});
  CHECK_FALSE(is_stored("zero/c/0"));
}
