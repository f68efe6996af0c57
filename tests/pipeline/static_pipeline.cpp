// A pipeline written as a type, compared with a document.
#include <string>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>
#include <tessera/pipeline/pipeline.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;

using P = Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Zstd>;

TEST_CASE("a pipeline knows its codecs, where it begins and where it ends") {
  CHECK(P::codec_names() == "transpose | bytes | zstd");
  CHECK(P::crossings == 0);
  CHECK(std::same_as<P::array_space, space::Host>);
  CHECK(std::same_as<P::bytes_space, space::Host>);
}

TEST_CASE("a document with other codecs is refused, with both lists") {
  auto refuse = [](char const* codecs, char const* found) {
    CAPTURE(std::string{codecs});
    auto const list = test::specifications(codecs);
    test::check_refused<MetadataError>([&] { P::from(list); }, {"member codecs", found, "transpose | bytes | zstd"});
  };
  refuse(R"(["bytes"])", "found bytes,");
  refuse(R"(["transpose", "bytes", "blosc"])", "found transpose | bytes | blosc,");
  refuse(R"(["bytes", "transpose", "zstd"])", "found bytes | transpose | zstd,");
  refuse(R"(["transpose", "bytes", "zstd", "zstd"])", "found transpose | bytes | zstd | zstd,");
  refuse("[]", "found ");
}

TEST_CASE("a document's configurations become the codecs'") {
  auto const list = test::specifications(R"([
    {"name": "transpose", "configuration": {"order": [1, 0]}},
    {"name": "bytes", "configuration": {"endian": "big"}},
    {"name": "zstd", "configuration": {"level": 3}}])");
  auto const form = P::from(list).resolve({{2, 3}, {DataKind::signed_integer, 2}});
  CHECK(form.layout.shape == Extents{2, 3});
  CHECK(form.layout.strides == Strides{2, 4});
  CHECK(form.layout.swapped == (std::endian::native == std::endian::big ? 1 : 2));
  CHECK(form.decoded_size == 12);
  CHECK(form.bounds.size() == 2);
  CHECK(form.encoded_bound() >= 12);
}

TEST_CASE("a wrong configuration is refused with the codec's name") {
  auto const list =
      test::specifications(R"([{"name": "transpose", "configuration": {"order": [0, 0]}}, "bytes", "zstd"])");
  test::check_refused<MetadataError>([&] { P::from(list); }, {"codec transpose", "configuration.order"});
  auto const short_list = test::specifications(
      R"([{"name": "transpose", "configuration": {"order": [0]}}, "bytes", {"name": "zstd", "configuration": {"level": 1}}])");
  test::check_refused<MetadataError>(
      [&] {
        P::from(short_list).resolve({{2, 2}, {}});
      },
      {"codec transpose", "2 dimensions"});
  test::check_refused<MetadataError>(
      [&] {
        P::from(short_list).resolve({{2}, {DataKind::floating, 4}});
      },
      {"codec bytes", "endian"});
}
