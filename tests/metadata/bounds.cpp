// The table of core/detail/bounds.hpp: the maximum is accepted, and one more is refused by the bound's name.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>
#include <support/sharded.hpp>
#include <support/store_conformance.hpp>
#include <tessera/core/detail/bounds.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;
using test::array_document;
using test::check_refused;
using test::Sharding;

namespace {

namespace in_bounds {

using Memory = MemoryStore<HostBuffer>;

// "first, again, again, ...": that many.
std::string list_of(std::size_t count, std::string const& first, std::string const& again) {
  std::string list = "[" + first;
  for (std::size_t i = 1; i < count; ++i) (list += ',') += again;
  return list + ']';
}

void open(std::string const& document, char const* key = "zarr.json") {
  Memory const store;
  test::put(store, key, document);
  (void)open_any(store, "");
}

// Checks that the document of `of` for the maximum is accepted, and that for one more is refused, with these words.
template <class F>
void check_bound(std::size_t most, F&& of, std::initializer_list<char const*> words, std::size_t step = 1) {
  CAPTURE(most);
  CHECK_NOTHROW(open(of(most)));
  check_refused<MetadataError>([&] { open(of(most + step)); }, words);
}

std::string const checksum = R"({"name": "crc32c"})", plain = R"({"name": "bytes"})";

}  // namespace in_bounds
}  // namespace

TEST_CASE("bounds: codecs of an array, of a shard and of an index") {
  using namespace in_bounds;
  auto const refused = "at most 1024 codecs";
  auto const chain = [](std::size_t n) { return list_of(n, plain, checksum); };
  check_bound(bounds::codecs, [&](std::size_t n) { return array_document().set("codecs", chain(n)).text(); },
              {"zarr.json", "member codecs", refused});
  auto const sharded = [](Sharding const& sharding) { return test::sharded_document("[4]", "[4]", sharding.list()); };
  check_bound(bounds::codecs, [&](std::size_t n) { return sharded({.chunk_shape = "[2]", .codecs = chain(n)}).text(); },
              {"sharding_indexed", "configuration.codecs", refused});
  auto const index = [&](std::size_t n) {
    return list_of(n, R"({"name": "bytes", "configuration": {"endian": "little"}})", checksum);
  };
  check_bound(bounds::codecs,
              [&](std::size_t n) { return sharded({.chunk_shape = "[2]", .index_codecs = index(n)}).text(); },
              {"sharding_indexed", "configuration.index_codecs", refused});
  // A document of any length is refused equally fast.
  check_refused<MetadataError>([&] { open(array_document().set("codecs", chain(100'000)).text()); }, {refused});
}

TEST_CASE("bounds: filters of Zarr v2") {
  using namespace in_bounds;
  auto const document = [](std::size_t n) {
    return R"({"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "|u1", "compressor": null, "fill_value": 0,
               "order": "C", "filters": )" +
           list_of(n, R"({"id": "delta", "dtype": "|u1"})", R"({"id": "delta", "dtype": "|u1"})") + '}';
  };
  auto const read = [&](std::size_t n) {
    Memory const store;
    test::put(store, ".zarray", document(n));
    return read_document(store, "", read_array_metadata).value().codecs.size();
  };
  CHECK(read(bounds::codecs - 3) == bounds::codecs - 2);
  check_refused<MetadataError>([&] { read(bounds::codecs - 2); }, {".zarray", "filters", "at most 1021 filters"});
}

TEST_CASE("bounds: shards within each other") {
  using namespace in_bounds;
  check_bound(bounds::shards,
              [](std::size_t n) {
                std::string codecs = '[' + plain + ']';
                for (std::size_t i = 0; i < n; ++i) codecs = Sharding{.chunk_shape = "[1]", .codecs = codecs}.list();
                return test::sharded_document("[1]", "[1]", codecs).text();
              },
              {"zarr.json", "sharding_indexed", "at most 16"});
}

TEST_CASE("bounds: inner chunks of a shard") {
  using namespace in_bounds;
  check_bound(bounds::inner_chunks,
              [](std::size_t n) {
                auto const shape = '[' + std::to_string(n) + ']';
                return test::sharded_document(shape, shape, Sharding{.chunk_shape = "[1]"}.list()).text();
              },
              {"zarr.json", "a shard of 1073741825 inner chunks", "at most 1073741824"});
}

TEST_CASE("bounds: dimensions") {
  using namespace in_bounds;
  check_bound(bounds::dimensions,
              [](std::size_t n) {
                auto const ones = list_of(n, "1", "1");
                return array_document().set("shape", ones).set("chunk_grid", test::grid(ones)).text();
              },
              {"member shape", "at most 32 dimensions"});
}

TEST_CASE("bounds: chunks of a rectilinear grid that differ from their neighbours") {
  using namespace in_bounds;
  auto const document = [](std::size_t n) {
    return array_document()
        .set("chunk_grid", R"({"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [)" +
                               list_of(n, "4", "1") + "]}}")
        .text();
  };
  check_bound(bounds::chunk_runs, document, {"chunk_shapes[0]", "at most 262144 lengths"});
}

TEST_CASE("bounds: storage transformers") {
  using namespace in_bounds;
  std::string const one = R"({"name": "x", "must_understand": false})";
  check_bound(bounds::storage_transformers,
              [&](std::size_t n) { return array_document().set("storage_transformers", list_of(n, one, one)).text(); },
              {"member storage_transformers", "at most 1024 storage transformers"});
}

TEST_CASE("bounds: fields and bytes of an element") {
  using namespace in_bounds;
  auto const document = [](std::string const& type, std::string const& fill) {
    return array_document().set("data_type", type).set("fill_value", fill).text();
  };
  auto const fields = [&](std::size_t n) {
    std::string type = R"({"name": "struct", "configuration": {"fields": [)", fill = "{";
    for (std::size_t i = 0; i < n; ++i) {
      auto const name = "\"f" + std::to_string(i) + '"', comma = std::string{i ? ", " : ""};
      type += comma + R"({"name": )" + name + R"(, "data_type": "uint8"})";
      fill += comma + name + ": 0";
    }
    return document(type + "]}}", fill + '}');
  };
  check_bound(bounds::fields, fields, {"configuration.fields", "at most 1024 fields"});
  auto const bytes = [&](std::size_t n) { return document("\"r" + std::to_string(8 * n) + '"', list_of(n, "0", "0")); };
  CHECK_NOTHROW(open(bytes(bounds::element_bytes)));
  check_refused<MetadataError>([&] { open(document("\"r8388616\"", "[]")); }, {"\"r8388616\" is not supported"});
}

TEST_CASE("bounds: values, members and nesting of any document, and its length") {
  using namespace in_bounds;
  auto const attributes = [](std::string json) { return array_document().set("attributes", std::move(json)).text(); };
  auto const members = [](std::size_t n) {
    std::string json = "{";
    for (std::size_t i = 0; i < n; ++i) json += (i ? ",\"" : "\"") + std::to_string(i) + "\":0";
    return json + '}';
  };
  check_bound(bounds::members, [&](std::size_t n) { return attributes(members(n)); },
              {"zarr.json", "more than 1048576 members in one object"});
  auto const before = 24;  // values of the array beside those of the list
  CHECK_NOTHROW(open(attributes("{\"a\":" + list_of(bounds::values - before, "0", "0") + '}')));
  check_refused<MetadataError>([&] { open(attributes("{\"a\":" + list_of(bounds::values, "0", "0") + '}')); },
                               {"zarr.json", "more than 2097152 values in one document"});
  check_bound(bounds::nesting - 2,
              [&](std::size_t n) { return attributes("{\"a\":" + std::string(n, '[') + std::string(n, ']') + '}'); },
              {"zarr.json", "nested deeper than 256 levels"});
  auto const long_one = [](std::size_t n) {
    auto text = array_document().text();
    return text.append(n - text.size(), ' ');
  };
  check_bound(bounds::document_bytes, long_one, {"zarr.json", "67108865 bytes", "at most 67108864"});
}
