// Codecs of arrays of Zarr v2: refusals use the words of their own document, and names that mean another codec's.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/core/types/times.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::check_refused;

namespace v2_codecs_tests {
namespace {

using Memory = MemoryStore<HostBuffer>;

std::string array_of(std::string const& filters, std::string const& compressor) {
  return R"({"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "<f4", "fill_value": 0, "order": "C", "filters": )" +
         filters + R"(, "compressor": )" + compressor + "}";
}

}  // namespace

TEST_CASE("codecs that a program does not know are named as .zarray names them, with its members") {
  Memory const store;
  test::put(store, "a/.zarray", array_of("null", R"({"id": "lz5", "level": 8})"));
  try {
    open_any<AllCodecs>(store, "a");
    FAIL_CHECK("it was opened");
  } catch (MetadataError const& error) {
    std::string const line = error.what();
    CAPTURE(line);
    CHECK(line.find("key \"a/.zarray\": members filters and compressor: \"lz5\" is not among") != line.npos);
    CHECK(line.find("member codecs") == line.npos);
    CHECK(error.unsupported() == "codec \"lz5\"");
  }
  test::put(store, "a/.zarray", array_of(R"([{"id": "bitround", "keepbits": 24}])", "null"));
  check_refused<MetadataError>([&] { open_any<AllCodecs>(store, "a"); },
                               {"a/.zarray", "codec bitround: member keepbits: found 24"});
  test::put(store, "a/.zarray", array_of("null", R"({"id": "lzma", "format": 3})"));
  check_refused<MetadataError>([&] { open_any<AllCodecs>(store, "a"); }, {"codec lzma: member format: found 3"});
}

TEST_CASE("an alias is read as the codec that it means, and stays in the document (CODEC-BITROUND-04)") {
  for (std::string const name : {"bitround", "numcodecs.bitround"}) {
    CAPTURE(name);
    Memory const store;
    auto const codecs =
        R"([{"name": ")" + name + R"(", "configuration": {"keepbits": 1}}, {"name": "bytes", "configuration":
                        {"endian": "little"}}, {"name": "zlib", "configuration": {"level": 1}}])";
    auto const metadata =
        test::array_metadata(test::array_document().set("data_type", "\"float32\"").set("codecs", codecs).text());
    create_any<AllCodecs>(store, "a", metadata, {}, Queue<space::Host>{});
    auto const array = open_array<float, 1, AllCodecs>(store, "a");
    CHECK(array.metadata().codecs[0].name == name);
    CHECK(array.metadata().codecs[2].name == "zlib");
    array.write(all, std::vector{1.f, 1.2f, 1.3f, 7.f});
    CHECK(array.read(all)(2) == 1.5f);
    using P = Pipeline<space::Host, codec::BitRound, codec::Bytes, codec::Zlib>;
    CHECK(open_array<float, 1, P>(store, "a").read(all)(3) == 8);
  }
}

TEST_CASE("behind a codec that changes the type there is a byte order where its elements have one") {
  Memory const store;
  using P = Pipeline<space::Host, codec::AsType, codec::Bytes>;
  auto const array = create_array<std::uint8_t, 1>(store, "a", {.shape = {4}, .chunks = {4}},
                                                   P{codec::AsType{{}, {{DataKind::signed_integer, 4}}, {}}, {}});
  array.write(all, std::vector<std::uint8_t>{1, 2, 3, 4});
  CHECK(array.metadata().codecs[1].configuration == Value{Members{{"endian", "little"}}});
  // As zarr-python writes it: it asks the array's type.
  auto codecs =
      R"([{"name": "numcodecs.astype", "configuration": {"encode_dtype": "int32", "decode_dtype": "uint8"}}, "bytes"])";
  test::put(store, "a/zarr.json",
            test::array_document().set("codecs", codecs).set("chunk_grid", test::grid("[4]")).text());
  CHECK(open_array<std::uint8_t, 1, AllCodecs>(store, "a").read(all)(3) == 4);
}

TEST_CASE("times behind delta are added up as integers, in both formats, and NaT among them stays (NUM-DELTA)") {
  using Day = datetime64<TimeUnit::day>;
  std::vector<Day> const days{{18262}, {18263}, {std::numeric_limits<std::int64_t>::min()}, {-3}};
  for (bool const is_v2 : {true, false}) {
    CAPTURE(is_v2);
    Memory const store;
    if (is_v2)
      test::put(store, "a/.zarray",
                R"({"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": ">M8[D]", "fill_value": 0, "order": "C",
                    "filters": [{"id": "delta", "dtype": ">i8", "astype": ">i8"}], "compressor": null})");
    else
      test::put(
          store, "a/zarr.json",
          test::array_document()
              .set("data_type", R"({"name": "numpy.datetime64", "configuration": {"unit": "D", "scale_factor": 1}})")
              .set("codecs", R"([{"name": "numcodecs.delta", "configuration": {"dtype": "<i8"}},
                                       {"name": "bytes", "configuration": {"endian": "big"}}])")
              .set("shape", "[4]")
              .set("chunk_grid", test::grid("[4]"))
              .text());
    auto const array = open_array<Day, 1, AllCodecs>(store, "a");
    array.write(all, days);
    // numcodecs' encoding of them: 18262, 1, and two differences that wrap around.
    CHECK(test::bytes(test::value(store, is_v2 ? "a/0" : "a/c/0")) ==
          test::hex("000000000000475600000000000000017fffffffffffb8a97ffffffffffffffd"));
    auto const read = array.read(all);
    for (std::size_t i = 0; i < days.size(); ++i) CHECK(read(i) == days[i]);
  }
}

}  // namespace v2_codecs_tests
