// Ten thousand damaged or malicious documents, chunks and keys: each gives a result or one tessera::Error that names a
// key, in bounded memory. A case is known by its seed, which a failure prints.
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/codec_run.hpp>
#include <support/document.hpp>
#include <support/large_allocations.hpp>
#include <support/random.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <support/temporary_folder.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/group.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::Random;
using Memory = MemoryStore<HostBuffer>;

namespace {

constexpr std::uint64_t document_cases = 4000, chunk_cases = 5000, key_cases = 1000, first_seed = 41'000'000;

struct Count {
  std::size_t results = 0, errors = 0;
};

// Runs f: it returns, or throws an error that names a key.
template <class F>
void answer(Count& count, F&& f) {
  try {
    f();
    ++count.results;
  } catch (Error const& error) {
    std::string const line = error.what();
    CAPTURE(line);
    CHECK_FALSE(error.key().empty());
    CHECK(line.size() < 4000);
    ++count.errors;
  }
}

std::string pick(Random& random, std::vector<std::string> const& choices) {
  return choices[random(0, choices.size() - 1)];
}

// Replacements of a number or another value.
std::vector<std::string> const values{"0",
                                      "-1",
                                      "1",
                                      "7",
                                      "255",
                                      "256",
                                      "65536",
                                      "2147483648",
                                      "4294967295",
                                      "4294967296",
                                      "1099511627776",
                                      "4611686018427387904",
                                      "9223372036854775807",
                                      "9223372036854775808",
                                      "18446744073709551615",
                                      "18446744073709551616",
                                      "1e400",
                                      "-1e400",
                                      "1e-400",
                                      "-0",
                                      "1.5",
                                      "1e9",
                                      "1e",
                                      "NaN",
                                      "Infinity",
                                      "null",
                                      "true",
                                      "false",
                                      "\"\"",
                                      "\"x\"",
                                      "\"0x7fc00001\"",
                                      "\"NaN\"",
                                      "[]",
                                      "{}",
                                      "[[]]",
                                      "[1, 2]",
                                      "{\"must_understand\": false}",
                                      "\"../..\"",
                                      "\"\\ud800\"",
                                      "\"\\u0000\""};

void mutate_bytes(Random& random, std::string& text, std::string const& other) {
  auto const at = [&](std::string const& s) { return static_cast<std::size_t>(random(0, s.size())); };
  switch (random(0, 4)) {
    case 0:
      text.resize(at(text));
      break;
    case 1:
      for (auto n = random(1, 4); n > 0 && !text.empty(); --n) {
        auto& c = text[random(0, text.size() - 1)];
        c = static_cast<char>(c ^ 1 << random(0, 7));
      }
      break;
    case 2: {  // a splice
      auto const from = at(other), size = random(0, 40), to = at(text);
      text.insert(to, other.substr(from, size));
      break;
    }
    case 3: {
      auto const from = at(text), size = random(1, 20);
      text.erase(from, size);
      break;
    }
    default: {  // a word of four bytes with a wrong size
      std::uint32_t const lies[] = {0,          1,          0x7fffffff,
                                    0x80000000, 0xffffffff, static_cast<std::uint32_t>(random(0, 1 << 20))};
      auto const lie = lies[random(0, 5)];
      if (text.size() >= 4) std::memcpy(text.data() + random(0, text.size() - 4), &lie, 4);
    }
  }
}

void mutate_document(Random& random, std::string& text, std::string const& other) {
  auto const number = [&] {  // the place of one of its numbers, or of any byte
    auto const from = text.empty() ? 0 : random(0, text.size() - 1);
    auto const found = text.find_first_of("0123456789", from);
    return found == text.npos ? from : found;
  };
  switch (random(0, 5)) {
    case 0:
    case 1: {
      auto const at = number();
      auto const end = std::min(text.find_first_not_of("0123456789", at), text.size());
      text.replace(at, end - at, pick(random, values));
      break;
    }
    case 2: {  // deep
      auto const open = pick(random, {"[", "{\"a\": ", "[[1], "});
      std::string nest;
      for (auto n = random(1, 400); n > 0; --n) nest += open;
      text.insert(number(), nest);
      break;
    }
    case 3: {  // another value for a whole member
      auto const colon = text.find(": ", text.empty() ? 0 : random(0, text.size() - 1));
      if (colon == text.npos) break;
      auto const end = std::min(text.find_first_of(",}]", colon), text.size());
      text.replace(colon + 2, end - std::min(end, colon + 2), pick(random, values));
      break;
    }
    default:
      mutate_bytes(random, text, other);
  }
}

std::string codec(std::string const& name, std::string const& configuration) {
  return R"({"name": ")" + name + R"(", "configuration": {)" + configuration + "}}";
}
std::string const transpose = codec("transpose", R"("order": [1, 0])");
std::string const little = codec("bytes", R"("endian": "little")"), big = codec("bytes", R"("endian": "big")");
std::string const gzip = codec("gzip", R"("level": 1)"), zstd = codec("zstd", R"("level": 1, "checksum": true)");
std::string blosc(std::string const& cname, std::string const& shuffle) {
  return codec("blosc", R"("cname": ")" + cname + R"(", "clevel": 3, "shuffle": ")" + shuffle +
                            R"(", "typesize": 4, "blocksize": 0)");
}

std::vector<std::string> const chains{little,
                                      big,
                                      transpose + ", " + big,
                                      little + ", \"crc32c\"",
                                      little + ", " + gzip,
                                      little + ", " + zstd,
                                      transpose + ", " + little + ", " + blosc("lz4", "shuffle"),
                                      big + ", " + blosc("zstd", "bitshuffle"),
                                      little + ", " + blosc("blosclz", "noshuffle"),
                                      little + ", " + blosc("zlib", "shuffle"),
                                      little + ", " + blosc("lz4hc", "bitshuffle"),
                                      little + ", " + gzip + ", " + zstd,
                                      little + ", " + blosc("lz4", "shuffle") + ", \"crc32c\", " + gzip};

std::string array_document(std::string const& chain, std::string const& type = "float32",
                           std::string const& fill = "0") {
  auto document = test::array_document().set("shape", "[40, 30]").set("chunk_grid", test::grid("[32, 16]"));
  document.set("data_type", '"' + type + '"').set("fill_value", fill).set("codecs", '[' + chain + ']');
  return document.set("attributes", R"({"a": [1, 2.5, {"b": "é"}]})").set("dimension_names", R"(["x", null])").text();
}

std::vector<std::string> documents() {
  std::vector<std::string> result;
  for (auto const& chain : chains) result.push_back(array_document(chain));
  for (auto* type : {"bool", "int8", "uint64", "float16", "float64"})
    result.push_back(array_document(little, type, type == std::string{"bool"} ? "true" : "1"));
  result.push_back(array_document(little, "complex64", R"(["NaN", 1.5])"));
  result.push_back(array_document(little, "r24", "[1, 2, 3]"));
  result.push_back(array_document(little, "float64", "\"0x7ff8000000000001\""));
  result.push_back(
      R"({"zarr_format": 3, "node_type": "group", "attributes": {"_FillValue": NaN}, "consolidated_metadata": null})");
  return result;
}

// The first elements along each dimension.
template <class Array>
void read_corner(Array const& array, std::uint64_t most = 2) {
  Region region{array.shape(), array.shape(), array.shape()};
  std::uint64_t count = array.type().size;
  for (std::size_t d = 0; d < array.shape().rank(); ++d) {
    region.first[d] = 0, region.step[d] = 1;
    region.count[d] = std::min(region.count[d], count < (1 << 16) ? most : 1);
    count *= region.count[d];
  }
  test::Bytes elements(count);
  array.read(region, {elements.data(), Layout::c_order(region.count, array.type().size).strides});
}

// Memory for one chunk has the size in its document. Between these sizes a document could make tessera use all of it.
template <class Array>
bool may_be_read(Array const& array) {
  auto const size = ChunkSpecification{array.chunk_shape(), array.type()}.size_in_bytes();
  return size <= (std::size_t{64} << 20) || size >= (std::size_t{1} << 42);
}

std::size_t peak_memory() {  // MiB
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) / 1024;
}

}  // namespace

TEST_CASE("damaged documents give an array, a group or an error that names the document (META-06)") {
  auto const seeds = documents();
  Count count;
  test::HostQueue on;
  for (std::uint64_t i = 0; i < document_cases; ++i) {
    auto const seed = first_seed + i;
    CAPTURE(seed);
    Random random{seed};
    auto text = pick(random, seeds);
    for (auto n = random(1, 3); n > 0; --n) mutate_document(random, text, pick(random, seeds));
    Memory const store;
    test::put(store, "a/zarr.json", text);
    if (random.one_in(3)) test::put(store, "a/c/0/0", std::string(random.one_in(2) ? 2048 : 3, '\1'));
    answer(count, [&] {
      if (text.find("group") != text.npos) return (void)open_group(store, "a");
      auto const array = open_any<AllCodecs>(store, "a", on);
      if (may_be_read(array)) read_corner(array);
    });
  }
  MESSAGE("seeds " << first_seed << " to " << first_seed + document_cases - 1 << ": " << count.results << " results, "
                   << count.errors << " errors");
  CHECK(count.results + count.errors == document_cases);
  CHECK(count.results > document_cases / 50);  // the damage is not all of one kind
  CHECK(count.errors > document_cases / 2);
}

TEST_CASE("damaged chunks give elements, or an error that names the chunk's key") {
  Count count;
  test::HostQueue on;
  auto const first = first_seed + document_cases;
  std::vector<std::string> sound;  // for each chain, its first chunk
  for (auto const& chain : chains) {
    Memory const store;
    test::put(store, "a/zarr.json", array_document(chain));
    auto const array = open_any<AllCodecs>(store, "a", on);
    auto const elements = Random{first}.smooth(40 * 30 * 4);
    array.write(Region{{0, 0}, {40, 30}, {1, 1}}, {elements.data(), Layout::c_order({40, 30}, 4).strides});
    sound.push_back(test::value(store, "a/c/0/0"));
  }
  for (std::uint64_t i = 0; i < chunk_cases; ++i) {
    auto const seed = first + i;
    CAPTURE(seed);
    Random random{seed};
    auto const chain = random(0, chains.size() - 1);
    CAPTURE(chains[chain]);
    auto value = sound[chain];
    for (auto n = random(1, 3); n > 0; --n) mutate_bytes(random, value, pick(random, sound));
    Memory const store;
    test::put(store, "a/zarr.json", array_document(chains[chain]));
    test::put(store, "a/c/0/0", value);
    auto const array = open_any<AllCodecs>(store, "a", on);
    answer(count, [&] {
      try {
        read_corner(array, random.one_in(2) ? 2 : 32);
      } catch (Error const& error) {
        CHECK(error.key() == "a/c/0/0");
        throw;
      }
    });
  }
  MESSAGE("seeds " << first << " to " << first + chunk_cases - 1 << ": " << count.results << " results, "
                   << count.errors << " errors");
  CHECK(count.results + count.errors == chunk_cases);
  CHECK(count.errors > chunk_cases / 2);
}

TEST_CASE("hostile paths and keys stay in the store's folder (NAME-06)") {
  test::TemporaryFolder const folder;
  std::ofstream{folder / "outside"} << "secret";
  std::filesystem::create_directories(folder / "root/a");
  std::filesystem::create_symlink("../../outside", folder / "root/a/link");
  LocalStore<HostBuffer> const store{folder / "root"};
  Count count;
  test::HostQueue on;
  auto const first = first_seed + document_cases + chunk_cases;
  std::vector<std::string> const names{
      "..", "..",   ".",   "a", "outside", "zarr.json",          "__x",  "c",
      "",   "link", "...", "~", "a b",     std::string(1, '\0'), "\xff", std::string(300, 'x')};
  for (std::uint64_t i = 0; i < key_cases; ++i) {
    auto const seed = first + i;
    CAPTURE(seed);
    Random random{seed};
    std::string path;
    for (auto n = random(1, 6); n > 0; --n) {
      path += pick(random, names);
      path += pick(random, {"/", "/", "/", "", "//", "\\"});
    }
    if (path.empty()) path = "..";  // the root is a path; an empty key does not exist
    CAPTURE(path);
    answer(count, [&] {
      auto const value = test::value(store, path);
      CHECK(value != "secret");
    });
    answer(count, [&] {
      if (path.find("..") != path.npos) test::put(store, path, "mine");
    });
    answer(count, [&] { (void)open_any(store, path, on); });
    answer(count, [&] { (void)open_group(store, path); });
  }
  MESSAGE("seeds " << first << " to " << first + key_cases - 1 << ": " << count.results << " results, " << count.errors
                   << " errors");
  CHECK(count.results + count.errors == 4 * key_cases);
  std::vector<std::string> left;
  for (auto const& entry : std::filesystem::directory_iterator{folder.path()})
    left.push_back(entry.path().filename().string());
  CHECK(left.size() == 2);  // root and outside
  std::string secret;
  std::ifstream{folder / "outside"} >> secret;
  CHECK(secret == "secret");
}

TEST_CASE("bombs go off nowhere: chunks that decode to a thousand times their size (CODEC-CHAIN-06)") {
  test::Bytes const zeros(std::size_t{32} << 20);
  test::HostQueue on;
  auto const refuse = [&](std::string const& chain, test::Bytes const& bomb) {
    Memory const store;
    test::put(store, "a/zarr.json", array_document(chain));
    test::put(store, "a/c/0/0", test::text(test::view(bomb)));
    auto const array = open_any<AllCodecs>(store, "a", on);
    test::check_refused<CodecError>([&] { read_corner(array); }, {"a/c/0/0", "codec "});
  };
  auto const by_gzip = test::encoded(codec::Gzip{1}, zeros), by_zstd = test::encoded(codec::Zstd{1}, zeros);
  auto const by_blosc = test::encoded(codec::Blosc{"lz4"}, zeros);
  refuse(little + ", " + gzip, by_gzip);
  refuse(little + ", " + zstd, by_zstd);
  refuse(little + ", " + blosc("lz4", "shuffle"), by_blosc);
  refuse(little + ", " + gzip + ", " + gzip, test::encoded(codec::Gzip{1}, by_gzip));
  refuse(little + ", " + zstd + ", " + zstd, test::encoded(codec::Zstd{1}, by_zstd));
  refuse(little + ", " + gzip + ", " + blosc("lz4", "shuffle"), test::encoded(codec::Blosc{"lz4"}, by_gzip));
}

TEST_CASE("documents that are made to take memory: deep, long, many (META-06)") {
  auto const refuse = [](std::string const& text, char const* word) {
    Memory const store;
    test::put(store, "a/zarr.json", text);
    test::check_refused<MetadataError>([&] { open_any(store, "a"); }, {"a/zarr.json", word});
  };
  auto const in_attributes = [](std::string const& text) { return R"({"attributes": {"a": )" + text; };
  refuse(std::string(1'000'000, '['), "nested deeper");
  refuse(in_attributes(std::string(1'000'000, '[')), "nested deeper");
  std::string text = in_attributes("[");
  for (int i = 0; i < 1'000'000; ++i) text += "{\"a\":";
  refuse(text, "nested deeper");
  text = in_attributes("[");
  while (text.size() < (std::size_t{60} << 20)) text += "[],0,";
  refuse(text, "values");
  text = in_attributes("1");
  text.resize(std::size_t{60} << 20, '0');
  refuse(text, "not JSON");
  refuse(std::string((std::size_t{64} << 20) + 1, ' '), "bytes");
}

TEST_CASE("all of this took little memory") {
  auto const peak = peak_memory();
  MESSAGE("peak memory " << peak << " MiB");
  CHECK(peak < 1500);
}
