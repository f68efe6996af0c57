// Codecs that a process registers when it runs: of types, and of a plug-in in C (tests/c/plug_in.c).
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>
#include <tessera/plug_in/load.hpp>
#include <tessera/tessera.hpp>

using namespace tessera;
using test::check_refused;

using BytesAlone = Codecs<codec::Bytes>;
using BytesAndMore = WithRunTime<BytesAlone>;

struct AddOne {
  using kind = array_to_array;
  static constexpr std::string_view name = "test.add_one";
  template <std::integral T>
  void encode(std::span<T const> from, std::span<T> to) const {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<T>(from[i] + 1);
  }
  template <std::integral T>
  void decode(std::span<T const> from, std::span<T> to) const {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<T>(from[i] - 1);
  }
};
struct AnotherAddOne : AddOne {};

static auto plug_in(char const* name = "plug-in.so") {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

static std::vector<std::int16_t> const numbers = [] {
  std::vector<std::int16_t> counted(24);
  std::iota(counted.begin(), counted.end(), 100);
  return counted;
}();

#define LITTLE R"({"name": "bytes", "configuration": {"endian": "little"}})"

// An array of 4 x 6 int16, one chunk, with these codecs.
static Value document(std::string const& codecs) {
  return parse_json(R"({"zarr_format": 3, "node_type": "array", "shape": [4, 6], "data_type": "int16",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 6]}},
    "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "codecs": [)" + codecs + "]}");
}
static auto store_of(std::string const& codecs) {
  MemoryStore<HostBuffer> const store;
  write_document(store, "", document(codecs));
  return store;
}
template <class List>
static auto open(MemoryStore<HostBuffer> const& store) {
  return open_array<std::int16_t, 2, AnyPipeline<space::Host, space::Host, List>>(store, "");
}
static auto stored(MemoryStore<HostBuffer> const& store) {
  Queue<space::Host> on{1};
  auto const value = get_value(store, {"c/0/0"}, on);
  auto const bytes = value->view();
  std::vector<std::int16_t> elements(bytes.size / 2);
  std::memcpy(elements.data(), bytes.data, bytes.size);
  return elements;
}

TEST_CASE("a registered type is found by lists with AtRunTime, and by no others") {
  auto const store = store_of(R"("test.add_one",)" LITTLE);
  check_refused<MetadataError>([&] { open<BytesAndMore>(store); }, {"test.add_one", "not among"});
  codec::register_at_run_time<AddOne>();
  codec::register_at_run_time<AddOne>();
  check_refused<MetadataError>([&] { open<BytesAlone>(store); }, {"test.add_one", "not among"});
  auto const array = open<BytesAndMore>(store);
  array.write(all, numbers);
  CHECK(stored(store)[0] == 101);
  CHECK(array.read(all)(3, 5) == 123);
  check_refused<CodecError>([] { codec::register_at_run_time<AnotherAddOne>(); },
                            {"test.add_one", "registered already"});
}

TEST_CASE("a plug-in's codecs encode, decode and refuse") {
  CHECK(codec::load_plug_in(plug_in()) == std::vector<std::string>{"test.invert", "test.backwards"});
  CHECK(codec::load_plug_in(plug_in()).size() == 2);

  auto const store = store_of(LITTLE R"(, {"name": "test.invert", "configuration": {"mask": 15}})");
  auto const array = open<BytesAndMore>(store);
  array.write(all, numbers);
  CHECK(stored(store)[0] == (100 ^ 0x0f0f));
  CHECK(array.read({{1, 3}, {2, 4}})(1, 1) == 100 + 2 * 6 + 3);
  CHECK(array.untyped().metadata().codecs.back().name == "test.invert");

  auto const refused = store_of(LITTLE R"(, {"name": "test.invert", "configuration": {"mask": 3}})");
  check_refused<MetadataError>([&] { open<BytesAndMore>(refused); }, {"test.invert", "mask: expected 15"});
}

TEST_CASE("a plug-in decodes arrays, and says what it refuses") {
  codec::load_plug_in(plug_in());
  auto const store = store_of(R"("test.backwards")");
  auto const array = open<BytesAndMore>(store);
  check_refused<CodecError>([&] { array.write(all, numbers); }, {"test.backwards", "decodes only"});
  auto const set = [&](std::size_t size) {
    Queue<space::Host> on{1};
    store.write({"c/0/0"}, {reinterpret_cast<std::byte const*>(numbers.data()), size}, on);
  };
  set(48);
  CHECK(array.read(all)(0, 0) == 123);
  CHECK(array.read(all)(3, 5) == 100);
  set(46);
  check_refused<CodecError>([&] { array.read(all); }, {"c/0/0", "test.backwards", "failed without a message"});
}

TEST_CASE("shards have codecs of plug-ins inside") {
  codec::load_plug_in(plug_in());
  auto const store = store_of(R"({"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 3], "codecs": [)" LITTLE
                              R"(, "test.invert"], "index_codecs": [)" LITTLE R"(, "crc32c"]}})");
  auto const array = open<BytesAndMore>(store);
  array.write(all, numbers);
  CHECK(array.read({{2, 3}, {4, 5}})(0, 0) == 116);
}

TEST_CASE("threads load one plug-in while others open arrays") {
  auto const store = store_of(LITTLE R"(, "test.invert")");
  codec::load_plug_in(plug_in());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) codec::load_plug_in(plug_in()), open<BytesAndMore>(store);
    });
  for (auto& thread : threads) thread.join();
  CHECK(open<BytesAndMore>(store).read(all)(0, 0) == 0);
}

TEST_CASE("what is no plug-in of this version is refused with its file") {
  check_refused<CodecError>([] { codec::load_plug_in("/nowhere/codec.so"); }, {"/nowhere/codec.so", "No such file"});
  check_refused<CodecError>([] { codec::load_plug_in(plug_in("plug-in-newer.so")); },
                            {"plug-in-newer.so", "for version 2", "expected version 1"});
  check_refused<CodecError>([] { codec::load_plug_in(plug_in("plug-in-without-codecs.so")); },
                            {"plug-in-without-codecs.so", "it has 2 codecs, but codecs is NULL"});
  check_refused<CodecError>([] { codec::load_plug_in("libm.so.6"); }, {"libm.so.6", "does not export"});
}
