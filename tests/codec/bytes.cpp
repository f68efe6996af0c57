#include <bit>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>
#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/codec/detail/configuration.hpp>

using namespace tessera;
using test::check_refused;

static codec::Bytes bytes_codec(char const* json) { return make_codec<codec::Bytes>(test::specification(json)); }

TEST_CASE("bytes: endian is little, big or absent (CODEC-BYTES-01, 04)") {
  CHECK(bytes_codec(R"({"name": "bytes", "configuration": {"endian": "little"}})").endian == std::endian::little);
  CHECK(bytes_codec(R"({"name": "bytes", "configuration": {"endian": "big"}})").endian == std::endian::big);
  CHECK_FALSE(bytes_codec(R"({"name": "bytes", "configuration": {}})").endian);
  CHECK_FALSE(bytes_codec(R"({"name": "bytes"})").endian);
  CHECK_FALSE(bytes_codec(R"("bytes")").endian);
}

TEST_CASE("bytes: everything else in its configuration is refused (CODEC-BYTES-01)") {
  auto refuse = [](char const* configuration, std::initializer_list<char const*> words) {
    CAPTURE(std::string{configuration});
    auto const json = std::string{R"({"name": "bytes", "configuration": )"} + configuration + "}";
    check_refused<MetadataError>([&] { bytes_codec(json.c_str()); }, words);
  };
  refuse(R"({"endian": "middle"})", {"codec bytes", "configuration.endian", "\"middle\"", "\"little\" or \"big\""});
  refuse(R"({"endian": "Little"})", {"configuration.endian"});
  refuse(R"({"endian": 1})", {"configuration.endian", "found 1"});
  refuse(R"({"endian": null})", {"configuration.endian", "found null"});
  refuse(R"({"endian": "big", "order": "C"})", {"codec bytes", "configuration.order is unknown"});
}

TEST_CASE("bytes: endian is needed where an element has several bytes (CODEC-BYTES-02, 03)") {
  codec::Bytes const none{std::nullopt};
  CHECK(none.layout({{4}, {DataKind::unsigned_integer, 1}}).swapped == 1);
  CHECK(none.layout({{4}, {DataKind::boolean, 1}}).swapped == 1);
  check_refused<MetadataError>(
      [&] {
        none.layout({{4}, {DataKind::signed_integer, 2}});
      },
      {"configuration.endian is missing", "int16"});
  CHECK_THROWS_AS(none.layout({{4}, {DataKind::floating, 8}}), MetadataError);
  CHECK(codec::Bytes{std::endian::big}.layout({{4}, {DataKind::signed_integer, 1}}).swapped == 1);
}

TEST_CASE("bytes: the elements lie in C order, swapped where the machine's order is the other") {
  constexpr auto other = std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
  for (auto type : data_types) {
    CAPTURE(type.name());
    auto const same = codec::Bytes{std::endian::native}.layout({{2, 3, 4}, type});
    CHECK(same == Layout::c_order({2, 3, 4}, type.size));
    CHECK(codec::Bytes{other}.layout({{2, 3, 4}, type}).swapped == type.component());
  }
}

TEST_CASE("bytes: what it was made from comes out again") {
  for (auto* json :
       {R"({"name": "bytes", "configuration": {"endian": "little"}})",
        R"({"name": "bytes", "configuration": {"endian": "big"}})", R"({"name": "bytes", "configuration": {}})"}) {
    CAPTURE(std::string{json});
    auto const found = specification_of(bytes_codec(json));
    CHECK(found.name == "bytes");
    CHECK(found.configuration == test::specification(json).configuration);
  }
}
