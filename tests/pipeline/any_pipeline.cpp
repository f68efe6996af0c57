// Which lists of codecs a document may have.
#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>
#include <tessera/pipeline/pipeline.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::check_refused;

using BuiltIn = AnyPipeline<space::Host>;
using Every = AnyPipeline<space::Host, space::Host, AllCodecs>;

template <class P>
static ResolvedChunk resolve(std::string const& codecs, ChunkSpecification const& chunk) {
  auto const list = test::specifications(codecs);
  return P::from(list).resolve(chunk);
}

static constexpr DataType uint8{DataKind::unsigned_integer, 1}, int16{DataKind::signed_integer, 2};

#define LITTLE R"({"name": "bytes", "configuration": {"endian": "little"}})"
#define TRANSPOSE R"({"name": "transpose", "configuration": {"order": [1, 0]}})"
#define ZSTD R"({"name": "zstd", "configuration": {"level": 3}})"

TEST_CASE("a list is array codecs, one array-to-bytes codec, bytes codecs (CODEC-CHAIN-01)") {
  CHECK(resolve<Every>(R"(["bytes"])", {{4, 4}, uint8}).is_view());
  CHECK(resolve<Every>("[" TRANSPOSE "," TRANSPOSE "," LITTLE "]", {{4, 4}, int16}).is_view());
  CHECK(resolve<Every>("[" TRANSPOSE "," LITTLE "," ZSTD "," ZSTD "]", {{4, 4}, int16}).bounds.size() == 3);
}

TEST_CASE("the codecs of the core are all there (CODEC-CHAIN-09)") {
  for (std::string const codecs :
       {LITTLE, TRANSPOSE "," LITTLE, LITTLE R"(, "crc32c")",
        LITTLE R"(, {"name": "gzip", "configuration": {"level": 5}})",
        LITTLE
        R"(, {"name": "blosc", "configuration": {"typesize": 2, "cname": "lz4", "clevel": 5, "shuffle": "shuffle",
            "blocksize": 0}})",
        R"({"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 2], "codecs": [)" LITTLE
        R"(], "index_codecs": [)" LITTLE R"(, "crc32c"]}})"}) {
    CAPTURE(codecs);
    auto const form = resolve<Every>('[' + codecs + ']', {{4, 4}, int16});
    CHECK(form.decoded_size == (form.shards.empty() ? 32 : 8));
  }
}

TEST_CASE("lists out of order are refused, with the codec (G-50)") {
  auto refuse = [](char const* codecs, std::initializer_list<char const*> words) {
    CAPTURE(std::string{codecs});
    check_refused<MetadataError>([&] { resolve<Every>(codecs, {{4, 4}, int16}); }, words);
  };
  refuse("[]", {"member codecs", "no array-to-bytes codec"});
  refuse("[" TRANSPOSE "]", {"member codecs", "no array-to-bytes codec"});
  refuse("[" ZSTD "]", {"member codecs", "zstd is out of order", "array-to-bytes"});
  refuse("[" LITTLE "," LITTLE "]", {"member codecs", "bytes is out of order"});
  refuse("[" LITTLE "," TRANSPOSE "]", {"transpose is out of order"});
  refuse("[" ZSTD "," LITTLE "]", {"zstd is out of order"});
  refuse("[" LITTLE "," ZSTD "," LITTLE "]", {"bytes is out of order"});
  refuse(R"(["bytes"])", {"codec bytes", "endian is missing", "int16"});
  CHECK_NOTHROW(resolve<Every>(R"(["bytes"])", {{4, 4}, uint8}));
}

TEST_CASE("a codec that the program does not know is refused by name, with those it knows and the cure") {
  check_refused<MetadataError>(
      [] {
        resolve<BuiltIn>(R"(["bytes", )" ZSTD "]", {{4, 4}, uint8});
      },
      {"member codecs", "\"zstd\"",
       "(transpose, bytes, crc32c); include <tessera/with/zstd.hpp> and list codec::Zstd, or open it with open() of "
       "<tessera/all.hpp>"});
  for (auto const& [codec, cure] : {std::pair{"gzip", "include <tessera/with/deflate.hpp> and list codec::Gzip"},
                                    std::pair{"blosc", "include <tessera/with/blosc.hpp> and list codec::Blosc"}}) {
    auto const list = R"(["bytes", ")" + std::string{codec} + R"("])";
    std::string const expected = cure;
    check_refused<MetadataError>([&] { resolve<BuiltIn>(list, {{4, 4}, uint8}); }, {expected.c_str()});
  }
  using Bytes = AnyPipeline<space::Host, space::Host, Codecs<codec::Bytes>>;
  check_refused<MetadataError>(
      [] {
        resolve<Bytes>(R"(["crc32c"])", {{4}, uint8});
      },
      {"(bytes); list codec::Crc32c, or"});
  check_refused<MetadataError>(
      [] {
        resolve<Every>(R"(["lz5"])", {{4, 4}, uint8});
      },
      {"member codecs: \"lz5\" is not among this program's codecs (nearest of 27: numcodecs.lz4, ",
       "); docs/codecs/README.md lists the codecs that tessera has"});  // there is no cure
  check_refused<MetadataError>([] { resolve<Every>(R"(["Bytes"])", {{4, 4}, uint8}); }, {"\"Bytes\""});
  CHECK(Every::codec_names() ==
        "transpose, bytes, blosc, crc32c, gzip, zstd, numcodecs.adler32, numcodecs.bz2, numcodecs.crc32, "
        "numcodecs.delta, numcodecs.fletcher32, numcodecs.lz4, numcodecs.lzma, numcodecs.shuffle, numcodecs.zlib, "
        "numcodecs.astype, "
        "numcodecs.fixedscaleoffset, numcodecs.jenkins_lookup3, numcodecs.packbits, numcodecs.quantize, bitround, "
        "cast_value, packbits, reshape, scale_offset, numcodecs.pcodec, squeeze");
}

TEST_CASE("a codec that cannot take the chunk is refused when the array is opened, by name") {
  check_refused<MetadataError>(
      [] {
        resolve<Every>("[" TRANSPOSE "," LITTLE "]", {{4, 4, 4}, uint8});
      },
      {"codec transpose", "configuration.order", "3 dimensions"});
  check_refused<MetadataError>(
      [] {
        resolve<Every>("[" LITTLE "," ZSTD R"(, {"name": "zstd"}])", {{4}, uint8});
      },
      {"codec zstd", "configuration.level is missing"});
}

TEST_CASE("a chunk that no memory can hold is refused before its layout is worked out") {
  constexpr auto large = std::uint64_t{1} << 62;
  for (Extents const& shape : {Extents{large, large}, Extents{large, 4}, Extents{large, 2, 1}}) {
    CAPTURE(to_string(shape));
    CHECK_THROWS_AS(resolve<Every>("[" LITTLE "," ZSTD "]", {shape, int16}), MetadataError);
    using P = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
    CHECK_THROWS_AS(P{}.resolve({shape, int16}), MetadataError);
  }
}

TEST_CASE("several codecs that the program does not know are all named in one line, each with the cure") {
  check_refused<MetadataError>(
      [] {
        resolve<BuiltIn>("[" LITTLE "," ZSTD R"(, "lz5", {"name": "gzip", "configuration": {"level": 5}}, )" ZSTD "]",
                         {{4, 4}, int16});
      },
      {"member codecs: \"zstd\", \"lz5\" and \"gzip\" are not among this program's codecs (transpose, bytes, crc32c); "
       "include <tessera/with/zstd.hpp> and list codec::Zstd; include <tessera/with/deflate.hpp> and list codec::Gzip, "
       "or "
       "open it with open() of <tessera/all.hpp>"});
}

namespace {

// With the same name: each accepts one configuration.
template <int number>
struct Only {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "example.only";
  static Only from(ObjectReader& configuration) {
    if (configuration.at("number").integer<int>() != number) throw MetadataError{"found another number"};
    return {};
  }
  Value configuration() const { return Members{{"number", Value::integer(number)}}; }
  std::size_t encoded_bound(std::size_t size) const { return size + number; }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    std::copy_n(from.data, from.size, to.data);
    return from.size;
  }
};
struct Encoding : Only<1> {
  static Encoding from(ObjectReader& configuration) { return {Only<1>::from(configuration)}; }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    return decode(from, to, on);
  }
};

template <class... Cs>
using OfList = AnyPipeline<space::Host, space::Host, Codecs<codec::Bytes, Cs...>>;
std::string only(int number) {
  return R"(["bytes", {"name": "example.only", "configuration": {"number": )" + std::to_string(number) + "}}]";
}

}  // namespace

TEST_CASE("of several with a name the first runs that takes the configuration, and its entry is complete") {
  using Both = OfList<Only<1>, Only<2>>;
  CHECK(resolve<Both>(only(1), {{4}, uint8}).encoded_bound() == 5);
  CHECK(resolve<Both>(only(2), {{4}, uint8}).encoded_bound() == 6);
  CHECK(Both::from(test::specifications(only(2))).specifications().back().configuration ==
        test::specifications(only(2)).back().configuration);
  check_refused<MetadataError>(
      [] {
        resolve<Both>(only(3), {{4}, uint8});
      },
      {"codec example.only: found another number"});
}

TEST_CASE("where the one that was chosen only decodes and another one encodes, a write says so") {
  auto const write = []<class P>(std::type_identity<P>) {
    auto const pipeline = P::from(test::specifications(only(1)));
    auto const form = pipeline.resolve({{4}, uint8});
    std::vector<std::byte> from(4), to(8);
    EncodeTask<space::Host, space::Host> task{{from.data(), from.size()}, {to.data(), to.size()}};
    Queue<space::Host> on;
    pipeline.encode(form, std::span{&task, 1}, on);
    CHECK(task.encoded.size == 4);
  };
  write(std::type_identity<OfList<Encoding, Only<1>>>{});
  check_refused<CodecError>(
      [&] { write(std::type_identity<OfList<Only<1>, Encoding>>{}); },
      {"codec example.only: the implementation chosen to decode it only decodes, and another"});
  check_refused<CodecError>([&] { write(std::type_identity<OfList<Only<1>, Only<2>>>{}); },
                            {"this program's implementation decodes only"});
}
