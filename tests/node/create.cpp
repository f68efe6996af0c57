// Making arrays and groups, and refusals.
#include <atomic>
#include <complex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/document.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/codec/array_to_array/cast_value.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/group.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/with/blosc.hpp>

using namespace tessera;
using test::check_refused;

namespace create_tests {
namespace {

using Memory = MemoryStore<HostBuffer>;

Value document(Memory const& store, std::string const& path) {
  return parse_json(test::value(store, document_key(path).path));
}
Value member(Value const& document, std::string_view name) {
  for (auto const& [found, value] : *document.get_if<Members>())
    if (found == name) return value;
  return "(missing)";
}
std::set<std::string> keys_of(Memory const& store) {
  std::set<std::string> keys;
  store.list("", [&](Listed const& entry) { keys.emplace(entry.path); });
  return keys;
}

// As a user's store may be: without listing.
struct NoList {
  using buffer_type = HostBuffer;
  using Destination = tessera::Destination<space::Host>;
  Memory values;
  auto read(Key const& key, ByteRange range, Destination destination, test::HostQueue& on) const {
    return values.read(key, range, destination, on);
  }
  void write(Key const& key, ByteView<space::Host> value, test::HostQueue& on) const { values.write(key, value, on); }
  bool erase(Key const& key, test::HostQueue& on) const { return values.erase(key, on); }
};

// Lets other threads run between a read and the write.
struct Yielding : NoList {
  auto read(Key const& key, ByteRange range, Destination destination, test::HostQueue& on) const {
    auto const size = values.read(key, range, destination, on);
    for (int i = 0; i < 20; ++i) std::this_thread::yield();
    return size;
  }
  auto lock(Key const& key) const { return values.lock(key); }
};

auto make(Memory const& store, std::string const& path, bool overwrite = false) {
  return create_array<int, 1>(store, path, {.shape = {4}, .chunks = {2}, .overwrite = overwrite});
}

}  // namespace

TEST_CASE("the document says what was wanted, member for member, in zarr-python's order (GROUP-01)") {
  Memory const store;
  create_array<std::complex<float>, 2>(
      store, "a",
      {.shape = {5, 7},
       .chunks = {2, 3},
       .fill = {0.5f, -1.0f},
       .attributes = {{"units", "mm"}, {"n", Value::integer(3)}},
       .dimension_names = {"y", std::nullopt},
       .key_encoding = {true, '.'}},
      Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Crc32c>{{{1, 0}}, {}, {}});
  CHECK(document(store, "a") == parse_json(R"({
    "shape": [5, 7], "data_type": "complex64",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
    "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "."}},
    "fill_value": [0.5, -1.0],
    "codecs": [{"name": "transpose", "configuration": {"order": [1, 0]}},
               {"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
    "attributes": {"units": "mm", "n": 3}, "dimension_names": ["y", null],
    "zarr_format": 3, "node_type": "array", "storage_transformers": []})"));
  CHECK(document(store, "") == parse_json(R"({"attributes": {}, "zarr_format": 3, "node_type": "group"})"));
}

TEST_CASE("codecs are fitted to the elements of a new array, as zarr-python does") {
  Memory const store;
  auto const codecs = [&](auto element, auto const& pipeline) {
    create_array<decltype(element), 1>(store, "f", {.shape = {4}, .chunks = {2}, .overwrite = true}, pipeline);
    return member(document(store, "f"), "codecs");
  };
  using Stored = Pipeline<space::Host, codec::Bytes, codec::Blosc>;
  auto const blosc = [](int size) {
    return R"(, {"name": "blosc", "configuration": {"typesize": )" + std::to_string(size) +
           R"(, "cname": "zstd", "clevel": 5, "shuffle": "shuffle", "blocksize": 0}}])";
  };
  std::string const endian = R"([{"name": "bytes", "configuration": {"endian": "little"}})",
                    none = R"([{"name": "bytes"})";
  CHECK(codecs(std::uint8_t{}, Stored{}) == parse_json(none + blosc(1)));
  CHECK(codecs(true, Stored{}) == parse_json(none + blosc(1)));
  CHECK(codecs(std::array<std::byte, 3>{}, Stored{}) == parse_json(none + blosc(3)));
  CHECK(codecs(2.5, Stored{}) == parse_json(endian + blosc(8)));
  CHECK(codecs(std::complex<float>{}, Stored{{}, {.typesize = 4}}) == parse_json(endian + blosc(4)));
  Specification const given[] = {{"bytes", Members{{"endian", "little"}}}};  // the same, if it was composed at run time
  CHECK(codecs(std::uint8_t{}, AnyPipeline<space::Host>::from(given)) == parse_json(none + "]"));
}

// Writes the chunk that it was fitted to into its configuration.
struct Fits {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "example.fits";
  std::string seen = "nothing";

  static Fits from(ObjectReader& configuration) { return {configuration.at("seen").string()}; }
  Value configuration() const { return Members{{"seen", seen}}; }
  Fits fitted(ChunkSpecification const& chunk) const {
    if (seen != "nothing") return *this;
    return {to_text({to_string(chunk.shape), " ", chunk.type.name(), " ", std::to_integer<int>(chunk.fill.at(0))})};
  }
  std::size_t encoded_bound(std::size_t size) const { return size; }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    std::copy_n(from.data, from.size, to.data);
    return from.size;
  }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    return encode(from, to, on);
  }
};

TEST_CASE("codecs are fitted to the shape, the elements and the fill value of the chunks that reach them") {
  Memory const store;
  auto const seen = [&](NewArray<std::uint8_t> wanted, auto const& pipeline) {
    wanted.fill = 5, wanted.overwrite = true;
    create_array<std::uint8_t, 2>(store, "f", wanted, pipeline).write(all, std::vector<std::uint8_t>(96, 7));
    auto const text = to_json(member(document(store, "f"), "codecs"));
    auto const at = text.find("\"seen\":");
    return text.substr(text.find('"', at + 8), text.find('"', text.find('"', at + 8) + 1) + 1 - text.find('"', at + 8));
  };
  using Stored = Pipeline<space::Host, codec::Transpose, codec::AsType, codec::Bytes, Fits>;
  auto const wide = test::specifications(R"([{"name": "transpose", "configuration": {"order": [1, 0]}},
    {"name": "numcodecs.astype", "configuration": {"encode_dtype": "<u2", "decode_dtype": "|u1"}},
    {"name": "bytes", "configuration": {"endian": "little"}},
    {"name": "example.fits", "configuration": {"seen": "nothing"}}])");
  using Any = AnyPipeline<space::Host, space::Host, Codecs<codec::Transpose, codec::AsType, codec::Bytes, Fits>>;
  CHECK(seen({.shape = {8, 12}, .chunks = {4, 3}}, Stored::from(wide)) == "\"[3, 4] uint16 5\"");
  CHECK(seen({.shape = {8, 12}, .chunks = {4, 3}}, Any::from(wide)) == "\"[3, 4] uint16 5\"");
  CHECK(seen({.shape = {8, 12}, .shards = {4, 6}, .chunks = {2, 3}}, Stored::from(wide)) == "\"[3, 2] uint16 5\"");
  CHECK(seen({.shape = {8, 12}, .shards = {4, 6}, .chunks = {2, 3}}, Any::from(wide)) == "\"[3, 2] uint16 5\"");
}

TEST_CASE("groups are made above a node, and those that are there stay as they are") {
  Memory const store;
  create_group(store, "g", {{"kept", true}});
  make(store, "g/h/a");
  CHECK(keys_of(store) == std::set<std::string>{"g/h/a/zarr.json", "g/h/zarr.json", "g/zarr.json", "zarr.json"});
  CHECK(open_group(store, "g").attributes() == Members{{"kept", true}});
  CHECK(open_group(store, "g/h").attributes().empty());
}

TEST_CASE("nothing is made below an array, or where something is") {
  Memory const store;
  make(store, "a").fill(all, 7);
  check_refused<MetadataError>([&] { make(store, "a/b"); }, {"\"a/zarr.json\"", "array above"});
  check_refused<MetadataError>([&] { create_group(store, "a/b/c"); }, {"\"a/zarr.json\"", "array above"});
  check_refused<MetadataError>([&] { make(store, "a"); }, {"\"a/zarr.json\"", "there is a node already"});
  check_refused<MetadataError>([&] { create_group(store, "a"); }, {"there is a node already"});
  check_refused<MetadataError>([&] { make(store, ""); }, {"\"zarr.json\"", "there is a node already"});
  CHECK(open_array<int, 1>(store, "a").read(all)(3) == 7);
}

TEST_CASE("overwriting erases chunks, children and documents below the path, and nothing beside it") {
  Memory const store;
  make(store, "a").fill(all, 7);
  make(store, "ab").fill(all, 8);
  make(store, "g/b").fill(all, 9);
  make(store, "a", true);
  make(store, "g", true);
  CHECK(open_array<int, 1>(store, "a").read(all)(3) == 0);
  CHECK(open_array<int, 1>(store, "ab").read(all)(3) == 8);
  CHECK(keys_of(store) == std::set<std::string>{"a/zarr.json", "ab/c/0", "ab/c/1", "ab/zarr.json", "g/zarr.json",
                                                "zarr.json"});
  Memory const chunks;
  create_array<int, 1>(SplitStore{store, chunks}, "s", {.shape = {4}, .chunks = {2}}).fill(all, 1);
  CHECK(keys_of(chunks) == std::set<std::string>{"s/c/0", "s/c/1"});
  create_array<int, 1>(SplitStore{store, chunks}, "s", {.shape = {4}, .chunks = {2}, .overwrite = true});
  CHECK(keys_of(chunks).empty());
}

TEST_CASE("a group takes the place of what is there, if it is asked to") {
  Memory const store, chunks;
  make(store, "a").fill(all, 7);
  make(store, "ab").fill(all, 8);
  make(store, "g/b").fill(all, 9);
  check_refused<MetadataError>([&] { create_group(store, "a", {}, {}); },
                               {"\"a/zarr.json\"", "there is a node already; .overwrite = true replaces it"});
  CHECK(open_array<int, 1>(store, "a").read(all)(3) == 7);
  create_group(store, "a", {{"unit", "mm"}}, {.overwrite = true});
  create_group(store, "g", {}, {.overwrite = true});
  create_group(store, "new", {}, {.overwrite = true});
  CHECK(open_group(store, "a").attributes() == Members{{"unit", "mm"}});
  CHECK(keys_of(store) == std::set<std::string>{"a/zarr.json", "ab/c/0", "ab/c/1", "ab/zarr.json", "g/zarr.json",
                                                "new/zarr.json", "zarr.json"});
  create_array<int, 1>(SplitStore{store, chunks}, "s", {.shape = {4}, .chunks = {2}}).fill(all, 1);
  create_group(SplitStore{store, chunks}, "s", {}, {.overwrite = true});
  CHECK(keys_of(chunks).empty());
  check_refused<MetadataError>([&] { create_group(store, "ab/c", {}, {.overwrite = true}); }, {"array above"});
}

TEST_CASE("overwriting takes what a killed program left, and a damaged document") {
  Memory const store;
  make(store, "a").fill(all, 7);
  test::erase(store, "a/zarr.json");
  CHECK(make(store, "a", true).read(all)(3) == 0);
  test::put(store, "a/zarr.json", "{");
  check_refused<MetadataError>([&] { make(store, "a"); }, {"\"a/zarr.json\"", "not JSON"});
  CHECK_NOTHROW(make(store, "a", true));
  Memory const other;  // but at the root it is the user's whole store
  test::put(other, "letter", "dear");
  check_refused<StoreError>([&] { make(other, "", true); }, {"no node to erase"});
  CHECK(keys_of(other) == std::set<std::string>{"letter"});
}

TEST_CASE("nothing is erased for what cannot be written, or where the store cannot list") {
  Memory const store;
  make(store, "a").fill(all, 7);
  auto const before = keys_of(store);
  auto const refuse = [&](Members attributes, std::initializer_list<char const*> words) {
    NewArray<int> const wanted{
        .shape = {4}, .chunks = {2}, .attributes = std::move(attributes), .overwrite = true};
    check_refused<MetadataError>([&] { create_array<int, 1>(store, "a", wanted); }, words);
    check_refused<MetadataError>([&] { create_array<int, 1>(store, "new/b", wanted); }, words);
    check_refused<MetadataError>([&] { set_attributes(store, "a", wanted.attributes); }, words);
  };
  Value deep = true;
  for (int i = 0; i < 2000; ++i) deep = List{std::move(deep)};
  refuse({{"unit", "\xff"}}, {"not UTF-8"});
  refuse({{"n", Number{"nan"}}}, {"cannot write this as a number: \"nan\""});
  refuse({{"n", Number{"1, \"m\": 2"}}}, {"cannot write this as a number"});
  refuse({{"x", true}, {"x", false}}, {"member \"x\" is there twice"});
  refuse({{"x", std::move(deep)}}, {"deeper than 256"});
  AnyStore<HostBuffer> const unlisted{NoList{store}};
  NewArray<int> const wanted{.shape = {4}, .chunks = {2}, .overwrite = true};
  check_refused<StoreError>([&] { create_array<int, 1>(unlisted, "a", wanted); }, {"cannot be listed"});
  check_refused<StoreError>([&] { create_array<int, 1>(NoList{store}, "a", wanted); }, {"no list()"});
  CHECK(keys_of(store) == before);
  CHECK(open_array<int, 1>(store, "a").read(all)(3) == 7);
  CHECK_NOTHROW(create_array<int, 1>(NoList{store}, "new", wanted));
}

TEST_CASE("of several threads that make a node, one does, and no group above it is made anew") {
  for (int round = 0; round < 100; ++round) {
    Yielding const store{};
    std::atomic<int> made{0};
    auto const make_in = [&](std::string const& path) {
      try {
        create_array<int, 1>(store, path, {.shape = {4}, .chunks = {2}});
        ++made;
      } catch (MetadataError const&) {
      }
    };
    auto const other_path = round % 2 == 0 ? "g" : "g/a";  // the same node, or one below it
    std::thread other{make_in, other_path};
    make_in("g");
    other.join();
    CHECK(made == 1);
    bool const is_below = test::value(store.values, "g/a/zarr.json") != "(missing)";
    CHECK_NOTHROW(open_array<int, 1>(store, is_below ? "g/a" : "g"));
  }
}

TEST_CASE("names that no node may have are refused (NAME)") {
  Memory const store;
  for (auto* path : {"/a", "a/", "a//b", "..", "a/../b", ".", "...", "__a", "a/__b", "zarr.json", "a/zarr.json/b"}) {
    CAPTURE(std::string{path});
    CHECK_THROWS_AS(make(store, path), Error);
    CHECK_THROWS_AS(create_group(store, path), Error);
  }
  CHECK(keys_of(store).empty());
  for (auto* path : {"_a", "a..b", ".a", "\xc3\xa9t\xc3\xa9", "c", "a b"}) CHECK_NOTHROW(make(store, path));
}

TEST_CASE("what no array may be is refused before anything is written") {
  Memory const store;
  auto refuse = [&](NewArray<int> const& wanted, std::initializer_list<char const*> words) {
    check_refused<MetadataError>([&] { create_array<int, 1>(store, "a", wanted); }, words);
  };
  refuse({.shape = {4, 4}, .chunks = {2, 2}}, {"a/zarr.json", "found .shape of 2 dimensions, expected 1"});
  refuse({.shape = {4}, .chunks = {2, 2}}, {"found .chunks of 2 dimensions, expected 1"});
  refuse({.shape = {4}, .chunks = {0}}, {"found .chunks [0], expected numbers of at least 1"});
  refuse({.shape = {4}}, {"found .chunks of 0 dimensions, expected 1"});
  refuse({.shape = {4}, .chunks = {2}, .dimension_names = {"x", "y"}}, {"2 dimension names, expected 1"});
  refuse({.shape = {std::uint64_t{1} << 63}, .chunks = {2}}, {"a/zarr.json", "shape[0]"});
  refuse({.shape = {4}, .chunks = {std::uint64_t{1} << 62}}, {"a/zarr.json"});
  using Wrong = Pipeline<space::Host, codec::Transpose, codec::Bytes>;
  check_refused<MetadataError>(
      [&] { create_array<int, 1>(store, "a", {.shape = {4}, .chunks = {2}}, Wrong{{{1, 0}}, {}}); }, {"transpose"});
  CHECK(keys_of(store).empty());
}

TEST_CASE("numbers in attributes are numbers, and attributes are one type when they are written and read") {
  Memory const store;
  create_group(store, "g", {{"scale", 0.325}, {"n", 7}, {"size", std::size_t{3}}, {"on", true}});
  CHECK(member(document(store, "g"), "attributes") ==
        Value{Members{{"scale", Number{"0.325"}}, {"n", Number{"7"}}, {"size", Number{"3"}}, {"on", true}}});
  CHECK(open_group(store, "g").attributes().at("scale").as<double>() == 0.325);

  auto const made = create_array<int, 1>(
      store, "g/a", {.shape = {4}, .chunks = {2}, .attributes = open_group(store, "g").attributes()});
  auto const again = open_array<int, 1>(store, "g/a");
  CHECK(again.attributes() == made.attributes());
  CHECK(again.attributes() == get_attributes(store, "g/a"));
  CHECK(again.attributes() == again.metadata().attributes);
  CHECK(open_any(store, "g/a").attributes() == again.attributes());
  merge_attributes(store, "g/a", {{"n", 8}});
  CHECK(again.attributes().at("n").as<int>() == 7);
  CHECK(get_attributes(store, "g/a").at("n").as<int>() == 8);
}

TEST_CASE("attributes of temporaries may be looped over") {
  Memory const store;
  create_array<int, 1>(store, "g/a", {.shape = {4}, .chunks = {2}, .attributes = {{"text", std::string(99, 'x')}}});
  set_attributes(store, "g", {{"text", std::string(99, 'x')}});
  std::string all;
  for (auto& [name, value] : open_array<int, 1>(store, "g/a").attributes()) all += name + value.as<std::string>();
  for (auto& [name, value] : open_any(store, "g/a").attributes()) all += name + value.as<std::string>();
  for (auto& [name, value] : open_group(store, "g").attributes()) all += name + value.as<std::string>();
  for (auto& [name, value] : open_any(store, "g/a").metadata().attributes) all += name + value.as<std::string>();
  auto const one = "text" + std::string(99, 'x');
  CHECK(all == one + one + one + one);
}

TEST_CASE("attributes are replaced, in arrays and groups; the rest of the document stays, unknown members too") {
  Memory const store;
  make(store, "g/a");
  test::put(store, "g/zarr.json",
            R"({"zarr_format": 3, "node_type": "group", "theirs": {"must_understand": false, "n": 1e30}})");
  auto group = open_group(store, "g");
  CHECK(group.attributes().empty());
  group.set_attributes({{"pi", Number{"3.14159265358979323846"}}});
  CHECK(group.attributes() == Members{{"pi", Number{"3.14159265358979323846"}}});
  auto const found = document(store, "g");
  CHECK(member(member(found, "attributes"), "pi") == Value{Number{"3.14159265358979323846"}});
  CHECK(member(member(found, "theirs"), "n") == Value{Number{"1e30"}});
  set_attributes(store, group / "a", {{"units", "mm"}});
  CHECK(member(document(store, "g/a"), "attributes") == Value{Members{{"units", "mm"}}});
  CHECK(open_array<int, 1>(store, "g/a").metadata().attributes == Value{Members{{"units", "mm"}}});
  check_refused<NodeNotFound>([&] { set_attributes(store, "nothing", {}); }, {"nothing/zarr.json", "missing"});
}

TEST_CASE("groups list what is below them, by name") {
  Memory const store;
  make(store, "b");
  make(store, "a/y/array");
  make(store, "a/x");
  test::put(store, "a/folder/of/others.txt", "no node");
  auto const root = open_group(store);
  std::vector<std::string> seen;
  auto const see = [&](Node const& node) {
    seen.push_back(node.path + (node.type == NodeType::group ? "/" : "") + ' ' + node.name);
  };
  for (auto const& node : root.children()) see(node);
  CHECK(seen == std::vector<std::string>{"a/ a", "b b"});
  seen.clear();
  root.walk(see);
  CHECK(seen == std::vector<std::string>{"a/ a", "a/x x", "a/y/ y", "a/y/array array", "b b"});
  CHECK(open_group(store, "a/y").children().size() == 1);
  CHECK(root / "b" == "b");
  CHECK(open_group(store, "a") / "x" == "a/x");
  check_refused<MetadataError>([&] { open_group(store, "b"); }, {"b/zarr.json", "node_type", "\"array\"", "\"group\""});
  check_refused<NodeNotFound>([&] { open_group(store, "c"); }, {"c/zarr.json", "missing"});
  test::put(store, "a/x/zarr.json", "{");
  check_refused<MetadataError>([&] { root.walk([](Node const&) {}); }, {"a/x/zarr.json", "not JSON"});
}

TEST_CASE("groups may be nested without bound") {
  Memory const store;
  std::string path = "g";
  for (int depth = 0; depth < 2000; ++depth) path += "/g";
  create_group(store, path);
  std::size_t count = 0;
  open_group(store).walk([&](Node const&) { ++count; });
  CHECK(count == 2001);
}

}  // namespace create_tests
