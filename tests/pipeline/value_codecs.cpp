// Custom array-to-array codecs that change values: they run at any position.
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <support/random_array.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;
using test::Random;

namespace value_codecs_tests {
namespace {

/// Each element but the first of a row becomes the difference from the one before it.
struct Delta {
  using kind = array_to_array;
  static constexpr std::string_view name = "example.delta";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  static Delta from(ObjectReader&) { return {}; }
  Value configuration() const { return Members{}; }
  ChunkSpecification encoded(ChunkSpecification chunk) const { return chunk; }

  std::size_t encode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>&) const {
    return each<true>(chunk, from, to);
  }
  std::size_t decode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>&) const {
    return each<false>(chunk, from, to);
  }

 private:
  template <bool Encodes>
  static std::size_t each(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to) {
    REQUIRE(chunk.type == data_type_of<std::int32_t>());
    REQUIRE(from.size == chunk.size_in_bytes());
    REQUIRE(to.size >= from.size);
    REQUIRE(reinterpret_cast<std::uintptr_t>(from.data) % sizeof(std::int32_t) == 0);
    auto const* in = reinterpret_cast<std::int32_t const*>(from.data);
    auto* out = reinterpret_cast<std::int32_t*>(to.data);
    auto const row = chunk.shape.rank() == 0 ? 1 : chunk.shape[chunk.shape.rank() - 1];
    for (std::size_t i = 0; i < from.size / sizeof(std::int32_t); ++i) {
      auto const before = i % row == 0 ? 0 : Encodes ? in[i - 1] : out[i - 1];
      out[i] = Encodes ? in[i] - before : in[i] + before;
    }
    return from.size;
  }
};

/// Another that changes the type too: int64 are stored as int32 plus one.
struct Narrow {
  using kind = array_to_array;
  static constexpr std::string_view name = "example.narrow";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  static Narrow from(ObjectReader&) { return {}; }
  Value configuration() const { return Members{}; }
  ChunkSpecification encoded(ChunkSpecification chunk) const {
    chunk.type = data_type_of<std::int32_t>();
    chunk.fill.clear();
    return chunk;
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    auto const n = from.size / 8;
    for (std::size_t i = 0; i < n; ++i)
      reinterpret_cast<std::int32_t*>(to.data)[i] =
          static_cast<std::int32_t>(reinterpret_cast<std::int64_t const*>(from.data)[i]) + 1;
    return 4 * n;
  }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    auto const n = from.size / 4;
    for (std::size_t i = 0; i < n; ++i)
      reinterpret_cast<std::int64_t*>(to.data)[i] = reinterpret_cast<std::int32_t const*>(from.data)[i] - 1;
    return 8 * n;
  }
};

using Known = Codecs<codec::Transpose, Delta, Narrow, codec::Bytes, codec::Crc32c, codec::Zstd>;

std::string const delta = R"({"name":"example.delta","configuration":{}})";
std::string const narrow = R"({"name":"example.narrow","configuration":{}})";
std::string const little = R"({"name":"bytes","configuration":{"endian":"little"}})";
std::string const big = R"({"name":"bytes","configuration":{"endian":"big"}})";
std::string const crc = R"({"name":"crc32c"})";
std::string const zstd = R"({"name":"zstd","configuration":{"level":1,"checksum":false}})";
std::string sharding(std::string const& shape, std::string const& codecs) {
  return R"({"name":"sharding_indexed","configuration":{"chunk_shape":)" + shape + R"(,"codecs":[)" + codecs +
         R"(],"index_codecs":[)" + little + "," + crc + R"(],"index_location":"end"}})";
}
std::string json(Extents const& shape) {
  std::string text = "[";
  for (auto n : shape) text += (text.size() > 1 ? "," : "") + std::to_string(n);
  return text + "]";
}
template <class Store>
void put_document(Store const& store, Extents const& shape, Extents const& chunk, std::string const& codecs,
                  std::string const& type = "int32") {
  std::string const text = R"({"zarr_format":3,"node_type":"array","shape":)" + json(shape) + R"(,"data_type":")" +
                           type + R"(","chunk_grid":{"name":"regular","configuration":{"chunk_shape":)" + json(chunk) +
                           R"(}},"chunk_key_encoding":{"name":"default"},"fill_value":7,"codecs":[)" + codecs +
                           R"(],"attributes":{}})";
  Queue<space::Host> on{1};
  store.write(Key{"a/zarr.json"}, ByteView<space::Host>{reinterpret_cast<std::byte const*>(text.data()), text.size()},
              on);
}

// Random parts written and read, against plain memory.
template <class T, std::size_t Rank, class A>
void check_parts(A const& array, Extents const& shape, std::uint64_t seed) {
  CAPTURE(seed);
  Random random{seed};
  auto const strides = Layout::c_order(shape, sizeof(T)).strides;
  std::vector<T> expected(element_count(shape, "a test"), 7);
  auto const at = [&](Extents const& index) -> T& {
    return *reinterpret_cast<T*>(detail::address(reinterpret_cast<std::byte*>(expected.data()), index, strides));
  };
  auto const for_each = [&](Region const& region, auto&& f) {
    auto index = region.first;
    auto const walk = [&](auto const& self, std::size_t d) -> void {
      if (d == region.count.rank()) return f(index);
      for (std::uint64_t i = 0; i < region.count[d]; ++i) {
        index[d] = region.first[d] + i * region.step[d];
        self(self, d + 1);
      }
    };
    walk(walk, 0);
  };
  for (int round = 0; round < 12; ++round) {
    CAPTURE(round);
    auto const box = round == 1 ? Box{all} : Box{test::random_slices(random, shape)};
    auto const region = box.resolve(shape);
    std::vector<T> values(element_count(region.count, "a test"));
    if (round % 2 == 0 || round == 1) {
      for (auto& value : values) value = static_cast<T>(random(0, 2000000)) - 1000000;
      array.write(box, std::span<T const>{values});
      std::size_t next = 0;
      for_each(region, [&](Extents const& index) { at(index) = values[next++]; });
    } else {
      array.read(box, std::span<T>{values});
      std::size_t next = 0, wrong = 0;
      for_each(region, [&](Extents const& index) { wrong += values[next++] != at(index); });
      CHECK(wrong == 0);
    }
  }
  std::vector<T> found(expected.size());
  array.read(all, std::span<T>{found});
  CHECK(found == expected);
}

template <std::size_t Rank>
void check_documents(Extents const& shape, Extents const& chunk, Extents const& inner, std::string const& transposed) {
  for (auto const& codecs :
       {delta + "," + little, delta + "," + big, delta + "," + little + "," + zstd,
        transposed + "," + delta + "," + big + "," + zstd, delta + "," + transposed + "," + little,
        delta + "," + transposed + "," + big + "," + crc,
        transposed + "," + delta + "," + transposed + "," + delta + "," + big + "," + zstd,
        sharding(json(inner), delta + "," + little),
        sharding(json(inner), transposed + "," + delta + "," + transposed + "," + little + "," + crc)})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      CAPTURE(codecs);
      MemoryStore<HostBuffer> const store;
      put_document(store, shape, chunk, codecs);
      check_parts<std::int32_t, Rank>(open_array<std::int32_t, Rank, Known>(store, "a"), shape, seed);
    }
}

template <class P, std::size_t Rank>
void check_type(Extents const& shape, Extents const& chunk, std::string const& codecs) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(codecs);
    MemoryStore<HostBuffer> const store;
    put_document(store, shape, chunk, codecs);
    check_parts<std::int32_t, Rank>(open_array<std::int32_t, Rank, P>(store, "a"), shape, seed);
    // Each reads the other's output.
    std::vector<std::int32_t> one(element_count(shape, "a test")), other(one.size());
    open_array<std::int32_t, Rank, P>(store, "a").read(all, std::span{one});
    open_array<std::int32_t, Rank, Known>(store, "a").read(all, std::span{other});
    CHECK(one == other);
  }
}

std::string order(std::string const& list) { return R"({"name":"transpose","configuration":{"order":)" + list + "}}"; }

template <class... Stages>
using OnHost = Pipeline<space::Host, Stages...>;
using codec::Bytes, codec::Sharding, codec::Transpose, codec::Zstd;

}  // namespace

TEST_CASE("a delta codec of one's own, whatever the document says: parts and all of it, written and read") {
  check_documents<1>({37}, {12}, {4}, order("[0]"));
  check_documents<2>({9, 14}, {4, 6}, {2, 3}, order("[1,0]"));
  check_documents<3>({5, 6, 7}, {4, 4, 6}, {2, 4, 3}, order("[2,0,1]"));
}

TEST_CASE("a delta codec of one's own in a pipeline that is a type") {
  check_type<OnHost<Delta, Bytes>, 1>({37}, {12}, delta + "," + little);
  check_type<OnHost<Delta, Bytes, Zstd>, 2>({9, 14}, {4, 6}, delta + "," + big + "," + zstd);
  check_type<OnHost<Transpose, Delta, Transpose, Bytes>, 3>(
      {5, 6, 7}, {4, 4, 6}, order("[2,0,1]") + "," + delta + "," + order("[1,0,2]") + "," + little);
  check_type<OnHost<Delta, Transpose, Delta, Bytes, Zstd>, 2>(
      {9, 14}, {4, 6}, delta + "," + order("[1,0]") + "," + delta + "," + little + "," + zstd);
  check_type<OnHost<Sharding<OnHost<Delta, Transpose, Bytes>>>, 2>(
      {9, 14}, {4, 6}, sharding("[2,3]", delta + "," + order("[1,0]") + "," + big));
}

TEST_CASE("stored are the codec's values") {
  MemoryStore<HostBuffer> const store;
  put_document(store, {2, 3}, {2, 3}, delta + "," + order("[1,0]") + "," + big);
  std::vector<std::int32_t> const values{10, 11, 13, 5, 4, 4};
  open_array<std::int32_t, 2, Known>(store, "a").write(all, std::span{values});
  Queue<space::Host> on{1};
  auto const stored = get_value(store, Key{"a/c/0/0"}, on);
  REQUIRE(stored);
  std::vector<int> last;  // the low byte of each, by columns
  for (std::size_t i = 3; i < stored->view().size; i += 4) last.push_back(std::to_integer<int>(stored->view().data[i]));
  CHECK(last == std::vector<int>{10, 5, 1, 255, 2, 0});
}

TEST_CASE("a codec that changes the type: the array's is the program's, the stored one the codec's") {
  for (auto const& codecs :
       {narrow + "," + little, narrow + "," + delta + "," + order("[1,0]") + "," + big + "," + zstd})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      CAPTURE(codecs);
      MemoryStore<HostBuffer> const store;
      put_document(store, {9, 14}, {4, 6}, codecs, "int64");
      check_parts<std::int64_t, 2>(open_array<std::int64_t, 2, Known>(store, "a"), {9, 14}, seed);
      CHECK(open_any<Known>(store, "a").metadata().type == data_type_of<std::int64_t>());
    }
}

TEST_CASE("before a shard it is refused, by name") {
  MemoryStore<HostBuffer> const store;
  put_document(store, {9, 14}, {4, 6}, delta + "," + sharding("[2,3]", little));
  CHECK_THROWS_WITH_AS(
      (open_array<std::int32_t, 2, Known>(store, "a")),
      doctest::Contains("\"example.delta\" changes values, so it is not supported before sharding_indexed"),
      MetadataError);
}

TEST_CASE("a stored value that is too short is an error of its chunk") {
  MemoryStore<HostBuffer> const store;
  put_document(store, {9, 14}, {4, 6}, delta + "," + little);
  std::vector<std::byte> const few(17);
  Queue<space::Host> on{1};
  store.write(Key{"a/c/0/1"}, ByteView<space::Host>{few.data(), few.size()}, on);
  std::vector<std::int32_t> values(9 * 14);
  auto const array = open_array<std::int32_t, 2, Known>(store, "a");
  CHECK_THROWS_WITH_AS(array.read(all, std::span{values}), doctest::Contains("found 17 bytes of elements, expected 96"),
                       CodecError);
}

}  // namespace value_codecs_tests
