// zfp and numcodecs' zfpy: with bytes that zfpy 1.0.1 made, and with chunks that have wrong headers.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <support/bytes.hpp>
#include <support/document.hpp>
#include <support/made_codec.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/codec/detail/configuration.hpp>
#include <tessera/core/types/small_numbers.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>
#include <tessera/with/zfp.hpp>

using namespace tessera;
using test::Bytes;
using test::check_refused;
using test::made;
using test::refuse;
using test::written;

namespace zfp_tests {
namespace {


template <class C>
Bytes encoded(C const& codec, ChunkSpecification const& chunk, Bytes const& from) {
  Queue<space::Host> on;
  Bytes to(codec.encoded_bound(chunk));
  to.resize(codec.encode(chunk, test::view(from), test::span(to), on));
  return to;
}
template <class C>
Bytes decoded(C const& codec, ChunkSpecification const& chunk, Bytes const& from) {
  Queue<space::Host> on;
  Bytes to(chunk.size_in_bytes());
  to.resize(codec.decode(chunk, test::view(from), test::span(to), on));
  return to;
}

template <class T>
std::vector<T> counting(std::size_t count, T step = 1) {
  std::vector<T> numbers(count);
  for (std::size_t i = 1; i < count; ++i) numbers[i] = static_cast<T>(numbers[i - 1] + step);
  return numbers;
}

// For that many numbers, whose blocks need that many bits.
Bytes header_of_blocks(std::size_t count, unsigned bits) {
  std::vector<std::uint64_t> words(8);
  auto* const stream = zfp_stream_open(nullptr);
  auto* const to = stream_open(words.data(), 64);
  zfp_stream_set_bit_stream(stream, to);
  zfp_stream_set_params(stream, bits, bits, 64, -1074);
  auto* const field = zfp_field_1d(nullptr, zfp_type_float, count);
  CHECK(zfp_write_header(stream, field, ZFP_HEADER_FULL) > 0);
  zfp_stream_flush(stream);
  zfp_field_free(field);
  stream_close(to);
  zfp_stream_close(stream);
  return test::memory_of(words);
}

ChunkSpecification const quarters_chunk{{2, 3}, data_type_of<float>()};
Bytes const quarters = test::memory_of(counting<float>(6, 0.25f));

}  // namespace

TEST_CASE("zfp: chunks without a header, by each mode (CODEC-ZFP-01)") {
  struct Case {
    char const *configuration, *stored;
    std::vector<float> elements;
  };
  auto const exact = counting<float>(6, 0.25f);
  for (Case const& one : {
           Case{R"({"mode": "reversible"})", "0112899944320900", exact},
           Case{R"({"mode": "fixed_rate", "rate": 8})", "01711c9c428a00200100000000000000", exact},
           Case{R"({"mode": "fixed_precision", "precision": 10})", "01711c9c428a00200100000000000000", exact},
           Case{R"({"mode": "fixed_accuracy", "tolerance": 0.5})", "01711c9c428a0020",
                {0.0234375f, 0.2578125f, 0.4921875f, 0.7734375f, 1.0078125f, 1.2421875f}},
           // "fixed_rate" of 8 bits, expressed by the members of "expert".
           Case{R"({"mode": "expert", "minbits": 128, "maxbits": 128, "maxprec": 64, "minexp": -1074})",
                "01711c9c428a00200100000000000000", exact}}) {
    auto const* const configuration = one.configuration;
    CAPTURE(configuration);
    auto const codec = made<codec::Zfp>(configuration);
    CHECK(written<codec::Zfp>(configuration) == to_json(parse_json(configuration)));
    auto const bytes = encoded(codec, quarters_chunk, quarters);
    auto expected = test::hex(one.stored);
    if (std::string{configuration}.find("precision\"") != std::string::npos) expected.resize(bytes.size());
    CHECK(bytes == expected);
    CHECK(decoded(codec, quarters_chunk, bytes) == test::memory_of(one.elements));
  }
  refuse<codec::Zfp>("{}", "configuration.mode is missing");
  refuse<codec::Zfp>(R"({"mode": "lossy"})", "configuration.mode");
  refuse<codec::Zfp>(R"({"mode": 4})", "configuration.mode");
  refuse<codec::Zfp>(R"({"mode": "fixed_rate"})", "configuration.rate is missing");
  refuse<codec::Zfp>(R"({"mode": "fixed_rate", "rate": 65})", "configuration.rate");
  refuse<codec::Zfp>(R"({"mode": "fixed_rate", "rate": "NaN"})", "configuration.rate");
  refuse<codec::Zfp>(R"({"mode": "fixed_accuracy", "tolerance": -1})", "configuration.tolerance");
  refuse<codec::Zfp>(R"({"mode": "fixed_accuracy", "tolerance": "Infinity"})", "configuration.tolerance");
  refuse<codec::Zfp>(R"({"mode": "fixed_precision", "precision": 65})", "configuration.precision");
  refuse<codec::Zfp>(R"({"mode": "reversible", "precision": 6})", "configuration.precision is unknown");
  refuse<codec::Zfp>(R"({"mode": "reversible", "write_header": true})", "configuration.write_header is unknown");
  refuse<codec::Zfp>(R"({"mode": "expert", "minbits": 9, "maxbits": 8, "maxprec": 64, "minexp": 0})",
                     "configuration.maxbits");
  refuse<codec::Zfp>(R"({"mode": "expert", "minbits": 0, "maxbits": 8, "maxprec": 0, "minexp": 0})",
                     "configuration.maxprec");
}

TEST_CASE("zfp: shapes of no to four dimensions, and elements that it has or that become those (CODEC-ZFP-02)") {
  codec::Zfp const codec{};
  test::Random random{79};
  for (Extents const& shape : {Extents{}, Extents{1}, Extents{7}, Extents{3, 5}, Extents{1, 1, 9}, Extents{2, 3, 4, 5}})
    for (auto const type : {data_type_of<std::int8_t>(), data_type_of<std::uint8_t>(), data_type_of<std::int16_t>(),
                            data_type_of<std::uint16_t>(), data_type_of<std::int32_t>(), data_type_of<std::int64_t>(),
                            data_type_of<float>(), data_type_of<double>()}) {
      ChunkSpecification const chunk{shape, type};
      CAPTURE(shape.rank());
      CAPTURE(type.name());
      auto const elements = random.noise(chunk.size_in_bytes());
      auto const bytes = encoded(codec, chunk, elements);
      CHECK(bytes.size() <= codec.encoded_bound(chunk));
      CHECK(decoded(codec, chunk, bytes) == elements);
    }
  // zfp_promote_uint8_to_int32 makes -128 << 23 of 0, and 127 << 23 of 255.
  ChunkSpecification const small{{4}, data_type_of<std::uint8_t>()}, wide{{4}, data_type_of<std::int32_t>()};
  auto const promoted = test::memory_of(std::vector<std::int32_t>{-(128 << 23), 127 * (1 << 23), 0, 1 << 23});
  CHECK(encoded(codec, small, test::hex("00ff8081")) == encoded(codec, wide, promoted));
  // Lossy modes exceed the range of the elements.
  auto const rough = made<codec::Zfp>(R"({"mode": "fixed_precision", "precision": 3})");
  auto const near = decoded(rough, small, encoded(rough, small, test::hex("00ff00ff")));
  CHECK(near.size() == 4);

  ChunkSpecification const unsigned_chunk{{2}, data_type_of<std::uint64_t>()};
  auto const most = test::memory_of(std::vector<std::uint64_t>{0, std::numeric_limits<std::int64_t>::max()});
  CHECK(decoded(codec, unsigned_chunk, encoded(codec, unsigned_chunk, most)) == most);
  check_refused<CodecError>(
      [&] {
        encoded(codec, unsigned_chunk, test::memory_of(std::vector<std::uint64_t>{0, std::uint64_t{1} << 63}));
      },
      {"element 1", "9223372036854775808"});
  for (auto const type : {data_type_of<bool>(), data_type_of<float16_bits>(), data_type_of<std::complex<float>>(),
                          data_type_of<bfloat16_bits>()}) {
    CAPTURE(type.name());
    check_refused<MetadataError>([&] { codec.layout({{4}, type}); }, {type.name().c_str(), "expected integers"});
  }
  check_refused<MetadataError>([&] { codec.layout({{1, 1, 1, 1, 2}, data_type_of<float>()}); }, {"5 dimensions"});
  check_refused<CodecError>(
      [&] { encoded(made<codec::Zfp>(R"({"mode": "fixed_rate", "rate": 0})"), wide, promoted); }, {"keeps no bits"});
}

template <class C>
void check_parts(C const& codec, ChunkSpecification const& chunk, test::Random& random) {
  CAPTURE(to_string(chunk.shape));
  CAPTURE(chunk.type.name());
  std::size_t const item = chunk.type.size, whole = chunk.size_in_bytes(), count = whole / item;
  auto const stored = encoded(codec, chunk, random.smooth(whole));
  auto const all = decoded(codec, chunk, stored);
  for (int i = 0; i < 6; ++i) {
    auto const first = random(0, count - 1);
    auto const n = random(1, random.one_in(2) ? std::min<std::size_t>(count - first, 9) : count - first);
    Bytes found(n * item);
    Queue<space::Host> on;
    ChunkPart const part{first * item, n * item, whole};
    auto const decoded = codec.decode_part(chunk, test::view(stored), test::span(found), part, on);
    CHECK(decoded >= found.size());
    CHECK(decoded <= whole);
    CHECK(std::memcmp(found.data(), all.data() + first * item, found.size()) == 0);
  }
  auto damaged = stored;
  damaged.resize(random(0, stored.size() - 1));
  if (damaged.size() + 8 < stored.size()) {
    Bytes found(item);
    Queue<space::Host> on;
    CHECK_THROWS_AS(codec.decode_part(chunk, test::view(damaged), test::span(found), {0, item, whole}, on), CodecError);
  }
}

TEST_CASE("zfp at a fixed rate: parts are those of the whole chunk") {
  std::uint64_t const seed = 81;
  CAPTURE(seed);
  test::Random random{seed};
  for (Extents const& shape : {Extents{}, Extents{1}, Extents{70}, Extents{13, 9}, Extents{1, 1, 30}, Extents{9, 6, 11},
                               Extents{5, 1, 6}, Extents{6, 5, 9, 7}})
    for (auto const type : {data_type_of<std::int8_t>(), data_type_of<std::uint16_t>(), data_type_of<std::int32_t>(),
                            data_type_of<std::uint64_t>(), data_type_of<float>(), data_type_of<double>()})
      for (auto const* rate : {"6.3", "16", "1"}) {
        CAPTURE(rate);
        auto const fixed = to_text({R"({"mode": "fixed_rate", "rate": )", rate, "}"});
        auto const of_numcodecs = to_text({R"({"mode": 2, "tolerance": -1, "precision": -1, "rate": )", rate, "}"});
        ChunkSpecification const chunk{shape, type};
        if (type != data_type_of<std::uint64_t>()) check_parts(made<codec::Zfp>(fixed), chunk, random);
        if (type.size >= 4 && type.kind != DataKind::unsigned_integer && shape.rank() > 0)
          check_parts(made<codec::Zfpy>(of_numcodecs), chunk, random);
      }
}

TEST_CASE("zfpy: chunks with a header, which says how they decode (NUM-ZFPY)") {
  struct Case {
    char const *configuration, *stored;
  };
  for (Case const& one :
       {Case{R"({"mode": 4, "tolerance": -1})", "7a6670052600001000000088011289994432090000000000"},
        Case{R"({"mode": 2, "rate": -1, "precision": 9})", "7a6670052600001000000088011289994432090000000000"},
        Case{"{}", "7a6670052600001000000088011289994432090000000000"},
        Case{R"({"mode": 5})", "7a6670052600001000000088011289994432090000000000"},
        Case{R"({"mode": 2, "tolerance": -1, "rate": 8, "precision": -1, "compression_kwargs": {"rate": 8}})",
             "7a667005260000100000f00701711c9c428a0020010000000000000000000000"},
        Case{R"({"mode": 3, "precision": 10})", "7a667005260000100000908001711c9c428a002001000000"},
        Case{R"({"mode": 4, "tolerance": 0.5})", "7a66700526000010000020cb01711c9c428a002000000000"}}) {
    auto const* const configuration = one.configuration;
    CAPTURE(configuration);
    auto const codec = made<codec::Zfpy>(configuration);
    CHECK(encoded(codec, quarters_chunk, quarters) == test::hex(one.stored));
    auto const found = decoded(codec::Zfpy{}, quarters_chunk, test::hex(one.stored));
    CHECK(found == decoded(codec, quarters_chunk, test::hex(one.stored)));
    if (std::string{configuration}.find("0.5") == std::string::npos) CHECK(found == quarters);
  }
  CHECK(written<codec::Zfpy>("{}") ==
        to_json(parse_json(R"({"mode": 4, "tolerance": -1, "rate": -1, "precision": -1})")));
  CHECK(written<codec::Zfpy>(R"({"mode": 2, "rate": 10.50})") ==
        to_json(parse_json(R"({"mode": 2, "tolerance": -1, "rate": 10.50, "precision": -1})")));
  auto const counted = counting<double>(6);
  CHECK(decoded(codec::Zfpy{}, {{2, 3}, data_type_of<double>()},
                test::hex("7a6670052700001000000088099090984924930000000000")) == test::memory_of(counted));
  CHECK(decoded(codec::Zfpy{}, {{2, 3}, data_type_of<std::int32_t>()},
                test::hex("7a66700524000010000000881f000000828924024c020000")) ==
        test::memory_of(counting<std::int32_t>(6)));
  CHECK(decoded(codec::Zfpy{}, {{2, 3}, data_type_of<std::int64_t>()},
                test::hex("7a66700525000010000000883f00000000000000041349049804000000000000")) ==
        test::memory_of(counting<std::int64_t>(6)));
  // One dimension, as older versions of numcodecs wrote every chunk.
  CHECK(decoded(codec::Zfpy{}, quarters_chunk, test::hex("7a6670055200000000000088fd0d5480c432070000000000")) ==
        quarters);
  refuse<codec::Zfpy>(R"({"mode": 1})", "configuration.mode");
  refuse<codec::Zfpy>(R"({"rate": "x"})", "configuration.rate");
  refuse<codec::Zfpy>(R"({"level": 1})", "configuration.level is unknown");
  check_refused<MetadataError>([] { codec::Zfpy{}.layout({{4}, data_type_of<std::uint32_t>()}); }, {"uint32"});
}

TEST_CASE("zfp and zfpy: what is cut short, longer, of another shape, or damaged stays within its room") {
  auto const good = encoded(codec::Zfpy{}, quarters_chunk, quarters);
  for (ChunkSpecification const& other :
       {ChunkSpecification{{3, 2}, data_type_of<float>()}, ChunkSpecification{{2, 4}, data_type_of<float>()},
        ChunkSpecification{{2, 3, 1}, data_type_of<float>()}, ChunkSpecification{{2, 3}, data_type_of<double>()},
        ChunkSpecification{{2, 3}, data_type_of<std::int32_t>()}})
    check_refused<CodecError>([&] { decoded(codec::Zfpy{}, other, good); }, {"header", "this shape"});
  for (std::size_t size = 0; size < 19; ++size) {  // padding follows these
    CAPTURE(size);
    CHECK_THROWS_AS(decoded(codec::Zfpy{}, quarters_chunk, Bytes(good.begin(), good.begin() + std::ptrdiff_t(size))),
                    CodecError);
  }
  auto longer = good;
  longer.push_back(std::byte{0});
  CHECK_THROWS_AS(decoded(codec::Zfpy{}, quarters_chunk, longer), CodecError);
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    auto bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    try {
      auto const found = decoded(codec::Zfpy{}, quarters_chunk, bad);
      CHECK(found.size() == quarters.size());
    } catch (CodecError const&) {
    }
  }
  // A header that claims 4 KiB for each block of 4 elements: refused before memory is allocated for them.
  std::size_t const count = std::size_t{1} << 30;
  std::vector<std::byte> none;
  Queue<space::Host> on;
  check_refused<CodecError>(
      [&] {
        auto const greedy = header_of_blocks(count, 32768);
        codec::Zfpy{}.decode({{count}, data_type_of<float>()}, test::view(greedy), {none.data(), 4 * count}, on);
      },
      {"expected at least 1099511627776"});
  for (auto const* mode : {R"({"mode": "expert", "minbits": 0, "maxbits": 1, "maxprec": 64, "minexp": -1074})",
                           R"({"mode": "expert", "minbits": 16658, "maxbits": 16658, "maxprec": 64, "minexp": 0})"}) {
    CAPTURE(mode);
    auto const codec = made<codec::Zfp>(mode);
    auto const bytes = encoded(codec, quarters_chunk, quarters);
    CHECK(decoded(codec, quarters_chunk, bytes).size() == quarters.size());
    CHECK_THROWS_AS(decoded(codec, quarters_chunk, {}), CodecError);
  }
}

TEST_CASE("arrays with zfp and zfpy in both formats; where zfpy cannot stand, the document is refused") {
  using Listed = WithZfp<AllCodecs>;
  MemoryStore<HostBuffer> const store;
  auto const values = counting<float>(24, 0.5f);
  auto const metadata = [](char const* codecs) {
    return test::array_metadata(test::array_document()
                                    .set("shape", "[24]")
                                    .set("chunk_grid", R"({"name": "regular", "configuration": {"chunk_shape": [10]}})")
                                    .set("data_type", "\"float32\"")
                                    .set("codecs", codecs)
                                    .text());
  };
  Queue<space::Host> on;
  for (auto const* codecs : {R"([{"name": "zfp", "configuration": {"mode": "reversible"}}, "crc32c"])",
                             R"([{"name": "numcodecs.zfpy", "configuration": {"mode": 4}}])"})
    for (auto const format : {ZarrFormat::v3, ZarrFormat::v2}) {
      auto document = metadata(codecs);
      document.format = format;
      if (format == ZarrFormat::v2) document.key_encoding = {true, '.'};
      if (format == ZarrFormat::v2 && document.codecs[0].name == "zfp") {
        check_refused<MetadataError>([&] { create_any<Listed>(store, "a", document, {.overwrite = true}, on); },
                                     {"Zarr v2 has no codec \"zfp\""});
        continue;
      }
      create_any<Listed>(store, "a", document, {.overwrite = true}, on);
      auto const array = open_array<float, 1, Listed>(store, "a");
      array.write(all, values);
      auto const read = open_array<float, 1, Listed>(store, "a").read(all);
      for (std::size_t i = 0; i < values.size(); ++i) CHECK(read(i) == values[i]);
    }
  MemoryStore<HostBuffer> const older;
  auto const v2 = [&](std::string const& dtype, std::string const& order, std::string const& filters) {
    test::put(older, "a/.zarray",
              R"({"zarr_format": 2, "shape": [4, 4], "chunks": [4, 4], "fill_value": 0, "dtype": ")" + dtype +
                  R"(", "order": ")" + order + R"(", "filters": )" + filters +
                  R"(, "compressor": {"id": "zfpy", "mode": 3, "precision": 8}})");
  };
  v2("<f4", "C", R"([{"id": "astype", "decode_dtype": "<f4", "encode_dtype": "<f8"}])");
  CHECK(open_any<Listed>(older, "a").metadata().codecs.back().name == "numcodecs.zfpy");
  for (auto const& [dtype, order, filters] : {std::tuple{"<f4", "F", "null"}, std::tuple{">f4", "C", "null"},
                                              std::tuple{"<f4", "C", R"([{"id": "shuffle", "elementsize": 4}])"}}) {
    v2(dtype, order, filters);
    check_refused<MetadataError>([&] { open_any<Listed>(older, "a"); }, {"a/.zarray", "member compressor: \"zfpy\""});
  }
  v2("<u4", "C", "null");
  check_refused<MetadataError>([&] { open_any<Listed>(older, "a"); }, {"a/.zarray", "zfpy", "uint32"});
  v2("<f4", "C", "null");
  check_refused<MetadataError>([&] { open_any<AllCodecs>(older, "a"); },
                               {"\"zfpy\" is not among", "include <tessera/with/zfp.hpp> and list codec::Zfpy"});
}

}  // namespace zfp_tests
