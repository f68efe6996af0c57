// Arrays of strings and of bytes: the operations of other elements, compared with strings that are kept beside them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <support/codec_run.hpp>
#include <support/random_array.hpp>
#include <support/random_selection.hpp>
#include <support/refused.hpp>
#include <support/written_array.hpp>
#include <tessera/array/strings.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/group.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/memory_store.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::Random;
using Memory = MemoryStore<HostBuffer>;
using Blob = std::vector<std::byte>;

namespace {

template <class T>
T random_element(Random& random) {
  constexpr std::size_t lengths[] = {0, 1, 15, 16, 40, 700};
  T element;
  for (auto n = lengths[random(0, random.one_in(9) ? 5 : 4)]; n > 0; --n)
    if constexpr (std::is_same_v<T, std::string>)
      element += random.one_in(40) ? std::string{"\u20ac"} : std::string(1, static_cast<char>(random(0, 127)));
    else
      element.push_back(static_cast<std::byte>(random(0, 255)));
  return element;
}
template <class T>
std::vector<T> random_elements_of(Random& random, std::size_t n) {
  std::vector<T> elements;
  while (elements.size() < n) elements.push_back(random_element<T>(random));
  return elements;
}

// An array and its elements.
template <class T, class Array>
struct Twin {
  Array array;
  T fill;
  Extents shape;
  std::vector<T> elements;

  void check() const {
    std::vector<T> found(elements.size());
    read({}, Box{all}.resolve(shape), {reinterpret_cast<std::byte*>(found.data()), dense(shape)});
    CHECK(found == elements);
  }
  void read(ReadOptions const& options, ResolvedSelection const& what, StridedSpan<space::Host> const& to) const {
    array.read_into(what, detail::ElementsOf<T>::placed(to), options);
  }
  void write(WriteOptions const& options, ResolvedSelection const& what, StridedView<space::Host> const& from) const {
    array.write_from(what, detail::ElementsOf<T>::placed(from), options);
  }
  static Strides dense(Extents const& of) { return Layout::c_order(of, sizeof(T)).strides; }

  void resize(Extents const& to) {
    std::vector<T> next(test::size_of(to), fill);
    test::for_each_index(shape, [&](Extents const& index) {
      for (std::size_t d = 0; d < to.rank(); ++d)
        if (index[d] >= to[d]) return;
      next[test::c_index(to, index)] = elements[test::c_index(shape, index)];
    });
    array.resize(to);
    shape = to, elements = next;
  }
};

using AllAndStrings = WithStrings<AllCodecs>;

// Codecs are compiled once, for all tests that name them at run time.
auto make(Memory const& store, DataType type, Extents const& shape, Extents const& chunk_shape, Blob fill,
          char const* codecs, ZarrFormat format = ZarrFormat::v3, std::size_t threads = 1) {
  ArrayMetadata metadata{shape, type, chunk_shape, {}, std::move(fill), test::specifications(codecs)};
  metadata.format = format;
  (void)create_any<AllAndStrings>(store, "a", metadata, {.overwrite = true}, test::HostQueue{});
  return open_any<AllAndStrings>(store, "a", test::HostQueue{threads});
}

template <class T>
void check_program(std::uint64_t seed, char const* codecs, Extents const& chunk_shape,
                   ZarrFormat format = ZarrFormat::v3) {
  CAPTURE(seed);
  Random random{seed};
  auto const rank = chunk_shape.rank();
  auto const shape = random.extents(rank, 1, 9);
  auto const fill = random.one_in(2) ? T{} : random_element<T>(random);
  Memory const store;
  auto const array = make(store, element_traits<T>::type, shape, chunk_shape, detail::ElementsOf<T>::fill_of(fill), codecs,
                          format, random(1, 3));
  CHECK(array.type() == element_traits<T>::type);
  CHECK(array.template fill_value<T>() == fill);
  Twin<T, std::remove_const_t<decltype(array)>> twin{array, fill, shape, std::vector<T>(test::size_of(shape), fill)};
  for (int round = 0; round < 12; ++round) {
    if (round == 8) twin.resize(random.extents(rank, 1, 9));
    auto const selection = test::random_selection(random, twin.shape, chunk_shape);
    CAPTURE(selection.kind);
    bool const writes = round % 3 != 2;
    auto const at = test::random_memory(random, selection.selected.shape, sizeof(T), writes);
    auto memory = random_elements_of<T>(random, at.size / sizeof(T) + 1);
    auto* const first = reinterpret_cast<std::byte*>(memory.data()) + at.first;
    std::size_t const batches[] = {0, 1, 2, every_chunk};
    auto const mini_batch = batches[random(0, 3)];
    auto expected = memory;
    test::for_each_selected(selection, twin.shape, sizeof(T), at, [&](std::size_t element, std::size_t place) {
      if (writes)
        twin.elements[element / sizeof(T)] = memory[place / sizeof(T)];
      else
        expected[place / sizeof(T)] = twin.elements[element / sizeof(T)];
    });
    if (writes)
      twin.write({.mini_batch = mini_batch}, selection.selected, {first, at.strides});
    else
      twin.read({.mini_batch = mini_batch}, selection.selected, {first, at.strides});
    CHECK(memory == expected);
    twin.check();
  }
}

template <class... Codecs>
using Host = Pipeline<space::Host, Codecs...>;
using codec::VlenUtf8;

Host<VlenUtf8> const plain_strings;

using Strings = std::vector<std::string>;

bool has(Memory const& store, std::string const& key) {
  bool found = false;
  store.list("a", [&](Listed const& entry) { found = found || entry.path == key; });
  return found;
}

// Three chunks, the second one missing.
auto written(Memory const& store, std::string const& fill = "none") {
  auto const array =
      create_array<std::string, 1>(store, "a", {.shape = {6}, .chunks = {2}, .fill = fill}, plain_strings);
  array.write({{0, 2}}, Strings{"a", "\u00e9"});
  array.write({{4, 6}}, Strings{"", "a longer one than fits into a string itself"});
  return array;
}

}  // namespace

TEST_CASE("strings and bytes: random selections, partial writes and resizes, as of any elements (DTYPE-17, DTYPE-18)") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    check_program<std::string>(seed, R"(["vlen-utf8"])", {2, 3});
    check_program<Blob>(seed, R"(["vlen-bytes", "crc32c"])", {4});
    check_program<std::string>(seed, R"([{"name": "transpose", "configuration": {"order": [1, 0, 2]}}, "vlen-utf8",
        {"name": "zstd", "configuration": {"level": 1}}])", {2, 1, 3});
    check_program<std::string>(seed, R"([{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 2],
        "codecs": ["vlen-utf8", {"name": "gzip", "configuration": {"level": 1}}],
        "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, "crc32c"]}}])", {4, 6});
    check_program<Blob>(seed, R"(["vlen-bytes", "numcodecs.zlib"])", {3, 2}, ZarrFormat::v2);
    check_program<std::string>(seed, R"(["vlen_v2", {"name": "zstd", "configuration": {"level": 1}}])", {3, 2});
    check_program<Blob>(seed, R"(["vlen_v2"])", {5});
  }
}

TEST_CASE("strings of a v2 array of order F are those of the transposed chunk (V2-12, V2-41, NUM-VLEN-UTF8)") {
  for (std::uint64_t seed = 1; seed <= 2; ++seed)
    check_program<std::string>(seed, R"([{"name": "transpose", "configuration": {"order": [1, 0]}}, "vlen-utf8",
        "numcodecs.zlib"])", {3, 2}, ZarrFormat::v2);
  Memory const store;
  test::put(store, "a/.zarray", R"({"zarr_format": 2, "shape": [2, 2], "chunks": [2, 2], "dtype": "|O", "order": "F",
      "filters": [{"id": "vlen-utf8"}], "compressor": null, "fill_value": 0})");
  auto const array = open_array<std::string, 2>(store, "a");
  CHECK(array.read(all)(1, 1).empty());
  array.write(all, Strings{"a", "b", "c", "d"});
  CHECK(test::digits(test::view(test::bytes(test::value(store, "a/0.0")))) ==
        "04000000" "0100000061" "0100000063" "0100000062" "0100000064");
  CHECK(array.read(all)(1, 0) == "c");
}

TEST_CASE("strings are read into what owns them, and written from it") {
  Memory const store;
  auto const array = written(store);
  CHECK(array.fill_value() == "none");
  auto const read = array.read(all);
  Strings const expected{"a", "\u00e9", "none", "none", "", "a longer one than fits into a string itself"};
  CHECK(Strings{read.begin(), read.end()} == expected);
  CHECK(read(5) == expected[5]);
  Strings memory(6, "what was there before");
  array.read(all, memory);
  CHECK(memory == expected);
  std::string one[2];
  array.read(Points{std::vector{5, 1}}, one);
  CHECK(one[0] == expected[5]);
  CHECK(one[1] == "\u00e9");
  array.fill({{1, 3}}, "filled");
  CHECK(array.read({{1, 5}})(2) == "none");
  CHECK(array.read({{2, 3}})(0) == "filled");
  array.append(Strings{"x", "y", "z"});
  CHECK(array.shape() == Extents{9});
  CHECK(array.read({{6, 9}})(2) == "z");

  auto const blobs = create_array<Blob, 1>(store, "b", {.shape = {3}, .chunks = {3}});
  blobs.write({{1, 2}}, std::vector<Blob>{{std::byte{0}, std::byte{255}}});
  CHECK(blobs.read(all)(1) == Blob{std::byte{0}, std::byte{255}});
  CHECK(blobs.read(all)(2).empty());
}

TEST_CASE("a chunk of nothing but the fill value is removed, wherever its strings lie") {
  Memory const store;
  auto const array = written(store, "nothing to see here, for nobody");
  CHECK(has(store, "a/c/0"));
  CHECK_FALSE(has(store, "a/c/1"));
  array.write({{0, 2}}, Strings(2, "nothing to see here, for nobody"));
  CHECK_FALSE(has(store, "a/c/0"));
  array.write({{0, 2}}, Strings(2, "nothing to see here, for nobody"), {.store_fill_chunks = true});
  CHECK(has(store, "a/c/0"));
  array.write({{0, 1}}, Strings{"nothing to see here, for nobodX"});
  CHECK(array.read(all)(1) == "nothing to see here, for nobody");
}

TEST_CASE("blosc shuffles no bytes of strings together in a new array") {
  Memory const store;
  using Shuffled = Pipeline<space::Host, codec::VlenUtf8, codec::Blosc>;
  auto const array = create_array<std::string, 1>(store, "a", {.shape = {2}, .chunks = {2}}, Shuffled{});
  CHECK(test::value(store, "a/zarr.json").find("\"typesize\": 1") != std::string::npos);
  array.write(all, Strings{"one", "two"});
  CHECK(array.read(all)(1) == "two");
}

TEST_CASE("an array of strings that only the file knows is visited as such") {
  Memory const store;
  (void)written(store);
  auto const array = open_any<AllAndStrings>(store, "a");
  auto const count = visit<StringTypes>(array, [](auto const& typed) {
    std::size_t sum = 0;
    for (auto const& element : typed.read(all)) sum += element.size();
    return sum;
  });
  CHECK(count == 1 + 2 + 4 + 4 + 0 + 43);
  CHECK(array.as<std::string, 1>().read(all)(0) == "a");
  test::check_refused<MetadataError>([&] { (void)visit<Types<float>>(array, [](auto const&) { return 0; }); },
                                     {"a/zarr.json", "string"});
  std::byte memory[6 * 16];
  test::check_refused<MetadataError>(
      [&] { array.read(Box{all}.resolve(array.shape()), {memory, Strides{16}}); },
      {"a/zarr.json", "string", "through an Array"});
}

TEST_CASE("strings and their codecs belong together (CODEC-VLEN-01, DTYPE-17, DTYPE-18)") {
  Memory const store;
  auto const refuse = [&](char const* type, char const* codecs, char const* fill,
                          std::initializer_list<char const*> words) {
    auto document = test::array_document().set("data_type", type).set("codecs", codecs).set("fill_value", fill);
    test::put(store, "a/zarr.json", document.text());
    test::check_refused<MetadataError>([&] { (void)open_any<AllAndStrings>(store, "a"); }, words);
  };
  refuse(R"("string")", R"([{"name": "bytes"}])", R"("")", {"a/zarr.json", "bytes", "string", "vlen-utf8"});
  refuse(R"("string")", R"(["vlen-bytes"])", R"("")", {"vlen-bytes", "string", "expected bytes"});
  refuse(R"("bytes")", R"(["vlen-utf8"])", R"("")", {"vlen-utf8", "bytes", "expected string"});
  refuse(R"("uint8")", R"(["vlen-utf8"])", "0", {"vlen-utf8", "uint8", "expected string"});
  refuse(R"("string")", R"([{"name": "vlen-utf8", "configuration": {"level": 1}}])", R"("")", {"vlen-utf8", "level"});
  refuse(R"("string")", R"(["vlen-utf8"])", "0", {"fill_value", "string"});
  refuse(R"("bytes")", R"(["vlen-bytes"])", R"("a")", {"fill_value", "base64"});
  refuse(R"("bytes")", R"(["vlen-bytes"])", "[256]", {"fill_value"});
  test::put(store, "a/zarr.json",
            test::array_document().set("data_type", R"("bytes")").set("codecs", R"(["vlen-bytes"])").set("fill_value", R"("")")
                .text());
  test::check_refused<MetadataError>([&] { (void)open_any<AllCodecs>(store, "a"); },
                                     {"vlen-bytes", "<tessera/array/strings.hpp>", "codec::VlenBytes"});
}

namespace {

// The elements of a chunk in the format of zarrs' vlen: the size of the index, the index, the bytes; or these in
// reverse.
template <class Offset, class C = codec::Crc32c>
test::Bytes indexed(std::vector<std::string> const& elements, bool at_end = false, C const* compressor = nullptr) {
  std::vector<Offset> offsets{0};
  std::string all;
  for (auto const& element : elements) offsets.push_back(static_cast<Offset>((all += element).size()));
  auto index = test::memory_of(offsets), data = test::bytes(all);
  if (compressor) index = test::encoded(*compressor, index), data = test::encoded(*compressor, data);
  auto const size = test::memory_of(std::vector<std::uint64_t>{index.size()});
  return at_end ? test::joined({data, index, size}) : test::joined({size, index, data});
}
std::string indexed_by(std::string const& type, std::string const& more, std::string const& compressor = "") {
  return R"([{"name": "vlen", "configuration": {"index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}})" +
         compressor + R"(], "data_codecs": ["bytes")" + compressor + R"(], "index_data_type": ")" + type + "\"" + more + "}}]";
}

}  // namespace

TEST_CASE("strings with an index of their own, as zarrs' vlen stores them, are read") {
  Memory const store;
  Strings const expected{"a", "", "\u20ac and more", "bcd", "", "e"};
  Strings const first{expected.begin(), expected.begin() + 3}, second{expected.begin() + 3, expected.end()};
  codec::Gzip const gzip{};
  auto const check = [&](std::string const& codecs, test::Bytes const& a, test::Bytes const& b,
                         Strings const& of_both) {
    CAPTURE(codecs);
    auto document = test::array_document().set("data_type", R"("string")").set("fill_value", R"("")");
    document.set("shape", "[6]").set("chunk_grid", test::grid("[3]")).set("codecs", codecs);
    test::put(store, "a/zarr.json", document.text());
    test::put(store, "a/c/0", test::text(test::view(a)));
    test::put(store, "a/c/1", test::text(test::view(b)));
    auto const array = open_array<std::string, 1, AllAndStrings>(store, "a");
    Strings found(6);
    array.read(all, found);
    CHECK(found == of_both);
    test::check_refused<CodecError>([&] { array.write(all, found); },
                                    {"codec vlen", "tessera decodes vlen and does not encode it"});
  };
  check(indexed_by("uint32", ""), indexed<std::uint32_t>(first), indexed<std::uint32_t>(second), expected);
  check(indexed_by("uint64", R"(, "index_location": "start")"), indexed<std::uint64_t>(first),
        indexed<std::uint64_t>(second), expected);
  std::string const compressed = R"(, {"name": "gzip", "configuration": {"level": 1}})";
  check(indexed_by("uint64", R"(, "index_location": "end")", compressed), indexed<std::uint64_t>(first, true, &gzip),
        indexed<std::uint64_t>(second, true, &gzip), expected);
  check(indexed_by("uint32", R"(, "index_location": "end")"), indexed<std::uint32_t>(first, true),
        indexed<std::uint32_t>({"", "", ""}, true), {first[0], first[1], first[2], "", "", ""});
}

TEST_CASE("a chunk of zarrs' vlen that is damaged is refused") {
  Memory const store;
  auto document = test::array_document().set("data_type", R"("string")").set("fill_value", R"("")");
  document.set("shape", "[2]").set("chunk_grid", test::grid("[2]")).set("codecs", indexed_by("uint32", ""));
  test::put(store, "a/zarr.json", document.text());
  auto const refuse = [&](char const* digits, std::initializer_list<char const*> words) {
    CAPTURE(digits);
    test::put(store, "a/c/0", test::text(test::view(test::hex(digits))));
    auto const array = open_array<std::string, 1, AllAndStrings>(store, "a");
    test::check_refused<CodecError>([&] { (void)array.read(all); }, words);
  };
  std::string const size = "0c00000000000000 ";
  refuse("0c", {"a/c/0", "codec vlen", "1 bytes, expected at least the 8 of the index size"});
  refuse("0d00000000000000 00000000 01000000 02000000", {"an index of 13 bytes does not fit within the 20"});
  refuse((size + "00000000 03000000 02000000 6161").c_str(), {"element 0 of 2 lies from 0 to 3 of 2 bytes"});
  refuse((size + "01000000 00000000 02000000 6161").c_str(), {"element 0 of 2 lies from 1 to 0"});
  refuse((size + "00000000 01000000 02000000 61").c_str(), {"codec vlen"});
  refuse((size + "00000000 01000000 02000000 616161").c_str(), {"codec vlen"});
  refuse((size + "00000000 01000000 ffffffff 61").c_str(), {"codec vlen"});
  refuse((size + "00000000 00000000 00000000 61").c_str(), {"found 1 bytes of empty elements"});
  refuse((size + "00000000 01000000 02000000 61ff").c_str(), {"element 1 is not UTF-8"});
}

TEST_CASE("a chunk of strings that is damaged is an error that names its key and element (CODEC-VLEN-03, CODEC-VLEN-04)") {
  Memory const store;
  auto const array = written(store);
  auto const refuse = [&](char const* digits, std::initializer_list<char const*> words) {
    auto const chunk = test::hex(digits);
    test::put(store, "a/c/0", test::text(test::view(chunk)));
    CAPTURE(digits);
    test::check_refused<CodecError>([&] { (void)array.read(all); }, {"key \"a/c/0\"", "codec vlen-utf8"});
    test::check_refused<CodecError>([&] { (void)array.read({{0, 1}}); }, words);
    test::check_refused<CodecError>([&] { array.write({{0, 1}}, Strings{"x"}); }, words);
  };
  refuse("020000", {"3 bytes"});
  refuse("03000000 00000000 00000000 00000000", {"found 3 elements, expected 2"});
  refuse("ffffffff", {"found 4294967295 elements"});
  refuse("02000000 0100000061 000000", {"element 1"});
  refuse("02000000 0100000061 02000000 61", {"element 1"});
  refuse("02000000 ffffffff 61", {"element 0"});
  refuse("02000000 00000000 00000000 00", {"1 bytes after the last element"});
  refuse("02000000 0100000061 0200000061ff", {"element 1", "UTF-8 from byte 1"});
  refuse("02000000 0300000061eda0 00000000", {"element 0", "UTF-8"});
  test::put(store, "a/c/0", "");
  test::check_refused<CodecError>([&] { (void)array.read(all); }, {"key \"a/c/0\""});
  array.write({{0, 2}}, Strings{"a", "b"});
  test::check_refused<CodecError>([&] { array.write({{1, 2}}, Strings{"\xc3"}); },
                                  {"key \"a/c/0\"", "codec vlen-utf8", "element 1", "UTF-8"});
  CHECK(array.read(all)(1) == "b");
}

TEST_CASE("strings that compress a thousandfold are read, but no more of them than the budget has room for") {
  Memory const store;
  for (auto* codecs : {R"(["vlen-utf8", {"name": "zstd", "configuration": {"level": 1}}])",
                       R"(["vlen-utf8", {"name": "gzip", "configuration": {"level": 1}}])",
                       R"(["vlen-utf8", "numcodecs.bz2"])"}) {
    CAPTURE(codecs);
    auto const array = make(store, string_type, {4}, {2}, {}, codecs, ZarrFormat::v3, 2).as<std::string, 1>();
    Strings const long_ones(4, std::string(500'000, 'x'));
    array.write(all, long_ones);
    CHECK(test::value(store, "a/c/0").size() < 10'000);
    auto const read = array.read(all);
    CHECK(Strings{read.begin(), read.end()} == long_ones);
    CHECK(array.read(all, ReadOptions{.memory = 2 << 20})(3) == long_ones[3]);
    test::check_refused<CodecError>([&] { (void)array.read(all, ReadOptions{.memory = 500'000}); },
                                    {"key \"a/c/", "codec "});
  }
}

TEST_CASE("strings below a group are made and opened with their codecs") {
  Memory const store;
  auto const group = create_group(store, "g");
  create_array<std::string, 1>(group, "a", {.shape = {4}, .chunks = {2}, .fill = "none"});
  CHECK(open_array<std::string, 1>(group, "a").read(all)(3) == "none");
}

TEST_CASE("an element that is too long for its length is not written (CODEC-VLEN-05)") {
  std::byte const one{};
  detail::ElementReference const element{&one, std::uint64_t{1} << 32};  // refused before it is decoded
  std::vector<std::byte> room(16);
  Queue<space::Host> on;
  test::check_refused<CodecError>(
      [&] {
        codec::VlenBytes{}.encode({reinterpret_cast<std::byte const*>(&element), sizeof element}, {room.data(), 16}, on);
      },
      {"4294967296 bytes", "at most 4294967295"});
}
