// Documents of sharded arrays that are refused when the array is opened, and the messages.
#include <initializer_list>
#include <string>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/sharded.hpp>
#include <support/store_conformance.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::Sharding;
using Memory = MemoryStore<HostBuffer>;
using Words = std::initializer_list<char const*>;

namespace {

constexpr auto little = R"({"name": "bytes", "configuration": {"endian": "little"}})";

// An array of shards of 4 x 6 with these codecs.
void open(std::string const& codecs) {
  Memory const store;
  test::put(store, "a/zarr.json", test::sharded_document("[8, 12]", "[4, 6]", codecs).text());
  open_any<AllCodecs>(store, "a");
}

void refuse(std::string const& codecs, Words words) {
  CAPTURE(codecs);
  test::check_refused<MetadataError>([&] { open(codecs); }, {"memory store: key \"a/zarr.json\": "});
  test::check_refused<MetadataError>([&] { open(codecs); }, words);
}

Sharding with_inner(std::string codecs) {
  Sharding sharding{"[2, 3]"};
  sharding.codecs = std::move(codecs);
  return sharding;
}
Sharding with_index(std::string codecs) {
  Sharding sharding{"[2, 3]"};
  sharding.index_codecs = std::move(codecs);
  return sharding;
}
std::string replaced(std::string text, std::string const& part, std::string const& by) {
  auto const at = text.find(part);
  REQUIRE(at != text.npos);
  return text.replace(at, part.size(), by);
}

}  // namespace

TEST_CASE("inner chunks that do not divide their shard are refused (GRID-14, CODEC-SHARD-02, CODEC-SHARD-03)") {
  for (auto* shape : {"[1, 1]", "[2, 3]", "[4, 6]", "[4, 2]"}) CHECK_NOTHROW(open(Sharding{shape}.list()));
  for (auto* shape : {"[3, 3]", "[2, 4]", "[8, 6]", "[4, 12]"})
    refuse(Sharding{shape}.list(), {"codec sharding_indexed: ", "member configuration.chunk_shape: found ", shape,
                                    "expected a divisor of the shard's shape [4, 6]"});
  for (auto* shape : {"[2]", "[]", "[2, 3, 1]"})
    refuse(Sharding{shape}.list(),
           {"codec sharding_indexed: ", "member configuration.chunk_shape: found ", shape, "expected 2 dimensions"});
  for (auto* shape : {"[0, 3]", "[2, 0]", "[-1, 3]", "[2.0, 3]", "\"2\"", "null"})
    refuse(Sharding{shape}.list(), {"codec sharding_indexed: ", "configuration.chunk_shape"});
  // Shards in shards: each divides the outer one; after a transpose lengths are the transposed ones.
  refuse(with_inner(Sharding{"[2, 2]"}.list()).list(), {"expected a divisor of the shard's shape [2, 3]"});
  auto const transpose = test::json(codec::Transpose{{1, 0}});
  CHECK_NOTHROW(open('[' + transpose + ", " + Sharding{"[3, 2]"}.json() + ']'));
  refuse('[' + transpose + ", " + Sharding{"[4, 2]"}.json() + ']', {"expected a divisor of the shard's shape [6, 4]"});
}

TEST_CASE("the members of sharding_indexed: three of them are needed (CODEC-SHARD-01)") {
  auto const sound = Sharding{"[2, 3]"}.list();
  CHECK_NOTHROW(open(replaced(sound, R"(, "index_location": "end")", "")));
  for (auto* member : {"chunk_shape", "codecs", "index_codecs"}) {
    auto const other = replaced(sound, '"' + std::string{member} + '"', "\"x\"");
    auto const missing = "configuration." + std::string{member} + " is missing";
    refuse(other, {"codec sharding_indexed: ", missing.c_str()});
  }
  refuse(replaced(sound, "\"index_location\"", "\"location\""), {"configuration.location is unknown"});
  refuse(R"(["sharding_indexed"])", {"codec sharding_indexed: ", "configuration"});
}

TEST_CASE("the index is at the end or at the start (CODEC-SHARD-04)") {
  for (std::string const location : {"END", "middle", "configuration", ""}) {
    Sharding sharding{"[2, 3]"};
    sharding.index_location = location;
    refuse(sharding.list(), {"codec sharding_indexed: ", "configuration.index_location", "\"end\"", "\"start\""});
  }
}

TEST_CASE("codecs of the index always make as many bytes (CODEC-SHARD-05, CODEC-CHAIN-08)") {
  auto const after_bytes = [](std::string const& codec) {
    return with_index('[' + std::string{little} + ", " + codec + ']');
  };
  refuse(after_bytes(test::json(codec::Zstd{})).list(),
         {"codec sharding_indexed: ", "configuration.index_codecs", "\"zstd\"", "transpose, bytes, crc32c"});
  refuse(after_bytes(test::json(codec::Gzip{})).list(), {"configuration.index_codecs", "\"gzip\""});
  refuse(after_bytes(test::json(codec::Blosc{})).list(), {"configuration.index_codecs", "\"blosc\""});
  refuse(with_index(Sharding{"[2, 3, 2]"}.list()).list(), {"configuration.index_codecs", "\"sharding_indexed\""});
  refuse(with_index(R"(["vlen-bytes"])").list(), {"configuration.index_codecs", "\"vlen-bytes\""});
  CHECK_NOTHROW(open(after_bytes(R"("crc32c", "crc32c")").list()));
  CHECK(Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Crc32c>::has_fixed_size);
  CHECK_FALSE(Pipeline<space::Host, codec::Bytes, codec::Zstd>::has_fixed_size);
  CHECK_FALSE(Pipeline<space::Host, codec::Bytes, codec::Crc32c, codec::Gzip>::has_fixed_size);
  CHECK_FALSE(Pipeline<space::Host, codec::Bytes, codec::Blosc>::has_fixed_size);
}

TEST_CASE("the index has a byte order (CODEC-SHARD-07)") {
  refuse(with_index(R"([{"name": "bytes"}, "crc32c"])").list(),
         {"codec sharding_indexed: ", "configuration.index_codecs", "configuration.endian is missing"});
  refuse(with_index(R"(["bytes"])").list(), {"configuration.index_codecs", "configuration.endian is missing"});
}

TEST_CASE("chains within chains are chains (CODEC-CHAIN-04, CODEC-SHARD-05)") {
  struct Wrong {
    std::string codecs;
    char const* words;
  };
  for (auto const& [codecs, words] :
       {Wrong{"[]", "no array-to-bytes codec"},
        {R"(["crc32c"])", "out of order"},
        {'[' + std::string{little} + ", " + little + ']', "out of order"},
        {'[' + std::string{little} + ", " + test::json(codec::Transpose{{0, 1}}) + ']', "out of order"},
        {"{}", "list"}}) {
    refuse(with_inner(codecs).list(), {"codec sharding_indexed: ", words});
    refuse(with_index(codecs).list(), {"codec sharding_indexed: ", words});
    refuse(with_inner(with_inner(codecs).list()).list(), {"codec sharding_indexed: ", words});
  }
  refuse(with_inner(R"(["bytes", "lz5"])").list(),
         {"codec sharding_indexed: ", "\"lz5\"", "among this program's codecs"});
  refuse(with_inner('[' + test::json(codec::Transpose{{0}}) + R"(, "bytes"])").list(), {"codec transpose", "order"});
}

TEST_CASE("codecs after sharding_indexed are bytes-to-bytes codecs, and behind the outermost shard") {
  auto const sharding = Sharding{"[2, 3]"};
  auto const after = [&](std::string const& codec) { return '[' + sharding.json() + ", " + codec + ']'; };
  CHECK_NOTHROW(open(after(R"("crc32c", "crc32c")")));
  refuse(after(R"("lz5")"), {"\"lz5\" is not among this program's codecs"});
  refuse(after(little), {"bytes is out of order"});
  refuse(after(test::json(codec::Transpose{{1, 0}})), {"transpose is out of order"});
  refuse(after(sharding.json()), {"sharding_indexed is out of order"});
  refuse('[' + std::string{little} + ", " + sharding.json() + ']', {"sharding_indexed is out of order"});
  auto const inner = '[' + Sharding{"[1, 3]"}.json() + R"(, "crc32c"])";
  refuse(with_inner(inner).list(), {"codec sharding_indexed: ", "member configuration.codecs: ",
                                    "\"crc32c\" after sharding_indexed in a shard is not supported"});
}

TEST_CASE("so many entries that no memory holds them are refused (CODEC-SHARD-25)") {
  auto const open_shard = [](std::string const& shard) {
    Memory const store;
    test::put(store, "a/zarr.json", test::sharded_document("[8, 8]", shard, Sharding{"[1, 1]"}.list()).text());
    open_any<AllCodecs>(store, "a");
  };
  CHECK_NOTHROW(open_shard("[32768, 32768]"));  // 2^30
  test::check_refused<MetadataError>([&] { open_shard("[32768, 32769]"); },
                                     {"key \"a/zarr.json\"", "codec sharding_indexed: ",
                                      "a shard of 1073774592 inner chunks, expected at most 1073741824"});
  test::check_refused<MetadataError>([&] { open_shard("[4294967296, 4294967296]"); }, {"key \"a/zarr.json\""});
}
