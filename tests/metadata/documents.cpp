// Documents in a store: their places, their versions, and the names in errors.
#include <string>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/metadata/documents.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;
using test::check_refused;

using Memory = MemoryStore<HostBuffer>;

static LocalStore<HostBuffer> const brain{TESSERA_TEST_DATA "/brain.zarr"};

TEST_CASE("a node's document is zarr.json below its path (META-01)") {
  CHECK(document_key("").path == "zarr.json");
  CHECK(document_key("foo/bar").path == "foo/bar/zarr.json");
  CHECK_FALSE(read_document(Memory{}, "t1", read_array_metadata));
}

TEST_CASE("t1's document") {
  auto const t1 = read_document(brain, "t1", read_array_metadata);
  REQUIRE(t1);
  CHECK(t1->shape == Extents{197, 233, 189});
  CHECK(t1->chunk_shape == Extents{64, 64, 64});
  CHECK(t1->type.name() == "uint8");
  REQUIRE(t1->codecs.size() == 2);
  CHECK(t1->codecs[1].name == "zstd");
  CHECK(t1->attributes == Value{Members{{"units", "arbitrary intensity"}}});
  CHECK(t1->dimension_names == std::vector<std::optional<std::string>>{"x", "y", "z"});
}

TEST_CASE("t1_half's document") {
  auto const half = read_document(brain, "t1_half", read_array_metadata);
  REQUIRE(half);
  CHECK(half->shape == Extents{98, 116, 94});
  CHECK(half->chunk_shape == Extents{49, 58, 47});
  CHECK(half->type.name() == "float32");
  REQUIRE(half->codecs.size() == 3);
  CHECK(half->codecs[0].name == "transpose");
  CHECK(half->codecs[2].name == "blosc");
  CHECK(half->fill == std::vector<std::byte>(4));
}

TEST_CASE("t1_sharded's document is sound; its codec is for the pipeline to judge") {
  auto const sharded = read_document(brain, "t1_sharded", read_array_metadata);
  REQUIRE(sharded);
  REQUIRE(sharded->codecs.size() == 1);
  CHECK(sharded->codecs[0].name == "sharding_indexed");
}

TEST_CASE("the volume's group") {
  auto const group = read_document(brain, "", read_group_metadata);
  REQUIRE(group);
  CHECK(group->attributes.front().name == "title");
}

TEST_CASE("zarr_format is the integer 3 (META-07)") {
  for (auto* json : {"2", "3.0", "3e0", "\"2\"", "\"3.0\"", "null", "4", "-3", "[3]", "\"https://purl.org/zarr/spec/core/3.0\""}) {
    CAPTURE(std::string{json});
    Memory const store;
    test::put(store, "a/zarr.json", test::array_document().set("zarr_format", json).text());
    check_refused<MetadataError>([&] { read_document(store, "a", read_array_metadata); },
                                 {"memory store", "key \"a/zarr.json\"", "member zarr_format", "expected 3"});
  }
  Memory const store;
  test::put(store, "a/zarr.json", test::array_document().set("zarr_format", "\"3\"").text());  // in quotes too
  CHECK(read_document(store, "a", read_array_metadata)->format == ZarrFormat::v3);
  test::put(store, "a/zarr.json", test::array_document().remove("zarr_format").text());
  check_refused<MetadataError>([&] { read_document(store, "a", read_array_metadata); }, {"zarr_format is missing"});
}

TEST_CASE("errors of a document name store and key, whatever is wrong") {
  for (std::string const text : {"", "[]", "{", "\"x\"", "null", "{}", "\xff\xfe", "{\"zarr_format\": 3}"}) {
    CAPTURE(text);
    Memory const store;
    test::put(store, "a/zarr.json", text);
    check_refused<MetadataError>([&] { read_document(store, "a", read_array_metadata); },
                                 {"memory store", "key \"a/zarr.json\""});
  }
}

namespace {

struct Endless {
  using buffer_type = HostBuffer;
  std::optional<std::size_t> read(Key const&, ByteRange, Destination<space::Host> destination,
                                  Queue<space::Host>&) const {
    return destination(std::size_t{1} << 40).size;
  }
};

}  // namespace

TEST_CASE("a document without bound is not read into memory (META-06)") {
  check_refused<MetadataError>([] { read_document(Endless{}, "a", read_array_metadata); },
                               {"key \"a/zarr.json\"", "1099511627776 bytes"});
}

TEST_CASE("a truncated document is an error at every length") {
  auto const text = test::value(brain, "t1_half/zarr.json");
  REQUIRE(text.size() > 100);
  Memory const store;
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    test::put(store, "a/zarr.json", text.substr(0, size));
    CHECK_THROWS_AS(read_document(store, "a", read_array_metadata), MetadataError);
  }
}

TEST_CASE("a document with flipped bits is refused or another document, and nothing else") {
  auto const text = test::value(brain, "t1_half/zarr.json");
  Memory const store;
  std::size_t answered = 0;
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    auto flipped = text;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    test::put(store, "a/zarr.json", flipped);
    try {
      answered += read_document(store, "a", read_array_metadata).has_value();
    } catch (MetadataError const& error) {
      answered += std::string{error.what()}.find('\n') == std::string::npos;
    }
  }
  CHECK(answered == text.size() * 8);
}
