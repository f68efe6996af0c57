// pcodec: files of its library's versions (tests/data/pcodec.json, made by make_pcodec.py), and invalid ones. Files and
// elements lie in allocations of their own size, so that a sanitizer detects accesses beyond them.
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/bytes.hpp>
#include <support/document.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <support/sha256.hpp>
#include <tessera/codec/array_to_bytes/pcodec.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/all.hpp>

namespace pcodec_tests {

using namespace tessera;
using test::check_refused;

namespace {

struct Case {
  std::string name, type, sha256;
  std::size_t count;
  test::Bytes file;
};

std::vector<Case> const& cases() {
  static auto const all = [] {
    std::ifstream file{"tests/data/pcodec.json"};
    auto const list = parse_json(std::string{std::istreambuf_iterator<char>{file}, {}});
    std::vector<Case> result;
    for (auto const& one : *list.get_if<List>()) {
      ObjectReader reader{one, "a case"};
      result.push_back({reader.at("name").string(), reader.at("type").string(), reader.at("sha256").string(),
                        reader.at("count").integer<std::size_t>(), test::hex(reader.at("file").string())});
    }
    return result;
  }();
  return all;
}

test::Bytes decoded(test::Bytes const& file, DataType type, std::uint64_t count) {
  Queue<space::Host> on;
  ChunkSpecification const chunk{{count}, type};
  test::Bytes to(chunk.size_in_bytes());
  auto const size = codec::Pcodec{}.decode(chunk, test::view(file), test::span(to), on);
  CHECK(size == to.size());
  return to;
}
test::Bytes decoded(test::Bytes const& file, Case const& like) {
  return decoded(file, *data_type_named(like.type), like.count);
}

Case const& named(std::string const& name) {
  for (auto const& one : cases())
    if (one.name == name) return one;
  FAIL("there is no case " << name);
  return cases().front();
}

// pcodec 1.1.0's output for six uint32, 1 to 6, and for 1 4 2 5 3 6.
std::string const one_to_six = "70636f21 03 00 8201 0401 01 050000 0010000800000018 00 88c602 00";
std::string const in_order_f = "70636f21 03 00 8201 0401 01 050000 0010000800000018 00 58a802 00";

template <class Store>
void put(Store const& store, std::string const& key, test::Bytes const& bytes) {
  Queue<space::Host> on;
  store.write(Key{key}, test::view(bytes), on);
}

}  // namespace

TEST_CASE("pcodec: numbers of every type, mode, delta encoding and version of the format (NUM-PCODEC)") {
  REQUIRE(cases().size() > 200);
  for (auto const& one : cases()) {
    CAPTURE(one.name);
    CHECK(test::sha256(test::view(decoded(one.file, one))) == one.sha256);
  }
}

TEST_CASE("pcodec: a file decodes to all that is asked for, or is refused") {
  auto const& one = named("1.1.0/int32/walk/257/auto");
  auto const type = *data_type_named(one.type);
  check_refused<CodecError>([&] { decoded(one.file, type, 256); }, {"found more than 256 numbers"});
  check_refused<CodecError>([&] { decoded(one.file, type, 258); }, {"found 257 numbers, expected 258"});
  check_refused<CodecError>([&] { decoded(one.file, *data_type_named("uint32"), 257); },
                            {"found numbers of int32, expected uint32"});
  auto longer = one.file;
  longer.push_back(std::byte{0});
  check_refused<CodecError>([&] { decoded(longer, one); }, {"found 1 bytes after the last number"});
  check_refused<CodecError>([&] { decoded({}, one); },
                              {"found 0 bytes that do not start with the header of a pcodec file"});
}

TEST_CASE("pcodec: what later versions may have is refused by name") {
  auto const with = [&](std::string const& digits) {
    return decoded(test::hex(digits), data_type_of<std::uint32_t>(), 6);
  };
  CHECK(with(one_to_six) == test::memory_of(std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6}));
  check_refused<CodecError>([&] { with("70636f21 04 00 8201 0401 00"); }, {"found pcodec file version 4"});
  check_refused<CodecError>([&] { with("70636f21 03 00 8201 0501 00"); }, {"found pcodec format version 5"});
  check_refused<CodecError>([&] { with("70636f21 03 0c 8201 0401 00"); }, {"found pcodec number type 12"});
  check_refused<CodecError>([&] { with("70636f21 03 00 8201 0401 01 050000 0500000000"); }, {"found pcodec mode 5"});
  check_refused<CodecError>([&] { with("70636f21 03 00 8201 0401 01 050000 4000000000"); },
                              {"found pcodec delta encoding 4"});
  check_refused<CodecError>([&] { with("70636f21 00 01 050000 010000000000000000"); }, {"version 0"});
  check_refused<CodecError>([&] { with("70636f21 03 00 8201 0401 01 050000 030500000000"); }, {"mode", "uint32"});
}

TEST_CASE("pcodec: lengths that a file does not have room for ask for no memory") {
  // A dictionary of 2^25 - 1 numbers, 2^14 bins, and a page that begins with 2^15 values.
  for (auto const* rest : {"f4ffff1f 00", "00 0e0004 0000", "20ee410020000000008000000000000000"}) {
    CAPTURE(rest);
    auto const file = test::hex("70636f21 03 00 8201 0401 01 050000 " + std::string{rest});
    check_refused<CodecError>([&] { decoded(file, data_type_of<std::uint32_t>(), 6); }, {"bytes end"});
  }
}

TEST_CASE("pcodec: a file that ends early is refused, and one with damaged bits gives numbers or is refused") {
  std::uint64_t const seed = 391;
  CAPTURE(seed);
  test::Random random{seed};
  std::size_t numbers = 0, errors = 0;
  for (auto const& one : cases()) {
    CAPTURE(one.name);
    for (int i = 0; i < 4; ++i) {
      auto shorter = one.file;
      shorter.resize(random(0, one.file.size() - 1));
      CHECK_THROWS_AS(decoded(shorter, one), CodecError);
    }
    for (int i = 0; i < 12; ++i) {
      auto damaged = one.file;
      auto const bit = random(0, 8 * one.file.size() - 1);
      damaged[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
      try {
        decoded(damaged, one);
        ++numbers;
      } catch (CodecError const&) {
        ++errors;
      }
    }
  }
  CHECK(numbers > 100);
  CHECK(errors > 100);
}

TEST_CASE("pcodec: arrays of both formats are read, in order F too, and not written (NUM-PCODEC)") {
  MemoryStore<HostBuffer> const store;
  std::string const configuration =
      R"("level": 8, "mode_spec": "auto", "delta_spec": "auto", "paging_spec": "equal_pages_up_to",)"
      R"("delta_encoding_order": null, "equal_pages_up_to": 262144)";
  auto const v2 = [&](char const* order) {
    return test::bytes(
        R"({"zarr_format": 2, "shape": [2, 3], "chunks": [2, 3], "dtype": "<u4", "fill_value": 0, "order": ")" +
        std::string{order} + R"(", "filters": null, "compressor": {"id": "pcodec", )" + configuration + "}}");
  };
  auto document = test::array_document();
  document.set("shape", "[2, 3]").set("data_type", "\"uint32\"").set("chunk_grid", test::grid("[2, 3]"));
  document.set("codecs", R"([{"name": "numcodecs.pcodec", "configuration": {)" + configuration + "}}]");
  put(store, "v3/zarr.json", test::bytes(document.text()));
  put(store, "v3/c/0/0", test::hex(one_to_six));
  put(store, "c/.zarray", v2("C"));
  put(store, "c/0.0", test::hex(one_to_six));
  put(store, "f/.zarray", v2("F"));
  put(store, "f/0.0", test::hex(in_order_f));
  for (auto const* path : {"v3", "c", "f"}) {
    CAPTURE(path);
    auto const array = open_array<std::uint32_t, 2, AllCodecs>(store, path);
    std::array<std::uint32_t, 6> found{};
    array.read(all, found);
    CHECK(found == std::array<std::uint32_t, 6>{1, 2, 3, 4, 5, 6});
    check_refused<CodecError>([&] { array.write(all, found); },
                              {"codec numcodecs.pcodec", "tessera decodes pcodec but does not encode it", "key"});
  }
  check_refused<CodecError>(
      [&] {
        create_array<std::uint32_t, 1>(store, "new", {.shape = {4}, .chunks = {4}},
                                       Pipeline<space::Host, codec::Pcodec>{});
      },
      {"tessera decodes pcodec but does not encode it"});
  CHECK_THROWS_AS((open_array<std::uint32_t, 1, AllCodecs>(store, "new")), Error);
}

TEST_CASE("pcodec: complex numbers and times are numbers of their parts; others are refused") {
  codec::Pcodec const pcodec;
  auto const takes = [&](DataType type) { return pcodec.layout({{4}, type}).item_size == type.size; };
  CHECK(takes({DataKind::complex, 8}));
  CHECK(takes({DataKind::datetime, 8}));
  auto const two = decoded(named("1.1.0/float32/few/264/dictionary/none").file, {DataKind::complex, 8}, 132);
  CHECK(test::sha256(test::view(two)) == named("1.1.0/float32/few/264/dictionary/none").sha256);
  for (DataType const type : {DataType{DataKind::boolean, 1}, DataType{DataKind::raw, 4}, string_type}) {
    CAPTURE(type);
    check_refused<MetadataError>([&] { takes(type); }, {"found elements of", "expected integers, float16"});
  }
}

}  // namespace pcodec_tests
