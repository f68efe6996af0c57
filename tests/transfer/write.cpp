// Writing, compared with a model that is changed one element at a time.
#include <atomic>
#include <initializer_list>
#include <memory_resource>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/refused.hpp>
#include <support/temporary_folder.hpp>
#include <support/written_array.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;
using test::Bytes;

namespace {

ArrayMetadata metadata_for(test::ArrayContent const& content, std::string const& codecs) {
  return test::array_metadata(content.document(codecs).text());
}

Bytes random_values(test::Random& random, std::size_t count, DataType type) {
  auto elements = random.noise(count * type.size);
  if (type.kind == DataKind::boolean)
    for (auto& b : elements) b &= std::byte{1};
  return elements;
}

/// Writes values in C order from memory of other strides: dimensions in any order, some backwards, with gaps.
template <class Array>
void write_strided(Array const& array, Region const& region, Bytes const& values, test::Random& random,
                   WriteOptions options) {
  auto const item = array.type().size;
  auto const rank = region.count.rank();
  auto const order = random.permutation(rank);
  auto strides = Strides::filled(rank, 0);
  std::size_t destination = item * random(1, 2);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    auto const d = order[i];
    strides[d] = static_cast<std::int64_t>(destination);
    destination *= region.count[d] + random(0, 1);
    if (random.one_in(2) && region.count[d] > 0) {
      first += strides[d] * static_cast<std::int64_t>(region.count[d] - 1);
      strides[d] = -strides[d];
    }
  }
  Bytes memory(destination + item, std::byte{0xdd});
  test::for_each_index(region.count, [&](Extents const& index) {
    std::copy_n(values.data() + test::c_index(region.count, index) * item, item,
                memory.data() + first + test::offset(strides, index));
  });
  array.write(region, {memory.data() + first, strides}, options);
}

template <class... Cs, class S>
void check_writes(S const& store, std::uint64_t seed) {
  CAPTURE(seed);
  test::Random random{seed};
  auto const rank = random(0, 4);
  test::ArrayContent content{test::random_type(random), random.extents(rank, 1, 9), random.extents(rank, 1, 5), {}};
  content.elements = Bytes(test::size_of(content.shape) * content.type.size);
  auto const codecs = test::json_list(test::random_codec<Cs>(random, rank)...);
  CAPTURE(codecs);
  std::string const path = seed % 3 == 0 ? "" : "group/array";
  test::HostQueue const queue{random(1, 3)};
  using Here = Pipeline<space::Host, Cs...>;
  auto const array = create_any<AllCodecs>(store, path, metadata_for(content, codecs), {true}, queue);
  auto const same = open_any<Here>(store, path, queue);
  for (int round = 0; round < 8; ++round) {
    Box const box = round == 3 ? Box(all) : Box{test::random_slices(random, content.shape)};
    auto const region = box.resolve(content.shape);
    auto values = random_values(random, test::size_of(region.count), content.type);
    if (random.one_in(3)) std::fill(values.begin(), values.end(), std::byte{0});
    test::put_elements(content, region, values);
    WriteOptions options;
    options.mini_batch = random(0, 5);
    options.store_fill_chunks = random.one_in(2);
    if (random.one_in(2))
      write_strided(array, region, values, random, options);
    else
      write_strided(same, region, values, random, options);
    CHECK(test::read_bytes(same, Box{all}.resolve(content.shape)) == content.elements);
  }
}

}  // namespace

using codec::Blosc, codec::Crc32c, codec::Gzip, codec::Transpose, codec::Zstd;
using ToBytes = codec::Bytes;

TEST_CASE("arrays hold what was written, box by box, whatever the memory's strides") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    test::TemporaryFolder const folder;
    check_writes<ToBytes>(MemoryStore<HostBuffer>{}, seed);
    check_writes<Transpose, ToBytes, Zstd>(MemoryStore<HostBuffer>{}, seed + 100);
    check_writes<Transpose, ToBytes, Gzip, Crc32c>(LocalStore<HostBuffer>{folder / ((seed + 200) % 3 == 0 ? "root" : "below")}, seed + 200);
    check_writes<ToBytes, Blosc>(AnyStore<HostBuffer>{MemoryStore<HostBuffer>{}}, seed + 300);
  }
}

TEST_CASE("what is stored is what the specification says, the fill value beyond the array's edge (GRID-05)") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    test::Random random{seed};
    auto const rank = random(0, 3);
    test::ArrayContent content{{DataKind::signed_integer, 2}, random.extents(rank, 1, 9), random.extents(rank, 1, 5), {}};
    content.fill = "258";
    content.elements = random.noise(test::size_of(content.shape) * 2);
    Transpose const transpose{random.permutation(rank)};
    ToBytes const big{std::endian::big};
    MemoryStore<HostBuffer> const store;
    auto const array = create_any<AllCodecs>(store, "a", metadata_for(content, test::json_list(transpose, big)));
    array.write(Box{all}.resolve(content.shape),
                {content.elements.data(), Layout::c_order(content.shape, 2).strides}, {.store_fill_chunks = true});
    test::for_each_index(content.grid_shape(), [&](Extents const& place) {
      auto chunk = content.chunk(place);
      test::for_each_index(content.chunk_shape, [&](Extents const& index) {  // noise beyond the edge becomes 258
        for (std::size_t d = 0; d < rank; ++d)
          if (place[d] * content.chunk_shape[d] + index[d] >= content.shape[d]) {
            std::int16_t const fill = 258;
            std::memcpy(chunk.data() + test::c_index(content.chunk_shape, index) * 2, &fill, 2);
          }
      });
      auto const expected = test::stored(chunk, content.chunk_shape, content.type, transpose, big);
      CHECK(test::value(store, content.chunk_key("a", place)) == test::text(test::view(expected)));
    });
  }
}

static std::set<std::string> stored_keys(MemoryStore<HostBuffer> const& store) {
  std::set<std::string> keys;
  store.list("", [&](Listed const& entry) { keys.emplace(entry.path); });
  return keys;
}

TEST_CASE("chunks of nothing but the fill value are not stored, unless that is asked for") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<float, 1>(store, "a", {.shape = {6}, .chunks = {2}, .fill = -0.0f});
  CHECK(stored_keys(store) == std::set<std::string>{"a/zarr.json", "zarr.json"});
  array.write(all, std::vector{-0.0f, -0.0f, 0.0f, 0.0f, -0.0f, 1.0f});  // bit for bit: 0 is not -0
  CHECK(stored_keys(store) == std::set<std::string>{"a/c/1", "a/c/2", "a/zarr.json", "zarr.json"});
  array.write({{2, 6}}, std::vector{-0.0f, -0.0f, -0.0f, -0.0f});  // and the stored chunk is erased
  CHECK(stored_keys(store) == std::set<std::string>{"a/zarr.json", "zarr.json"});
  array.write({{5, 6}}, std::vector{2.0f});
  array.write({{5, 6}}, std::vector{-0.0f});  // a part that makes the whole chunk the fill value
  CHECK(stored_keys(store) == std::set<std::string>{"a/zarr.json", "zarr.json"});
  array.fill(all, -0.0f, {.store_fill_chunks = true});
  CHECK(stored_keys(store) == std::set<std::string>{"a/c/0", "a/c/1", "a/c/2", "a/zarr.json", "zarr.json"});
}

TEST_CASE("NaN is a fill value like any other: by its bits") {
  MemoryStore<HostBuffer> const store;
  auto const nan = std::bit_cast<float>(0x7fc01234u);
  auto const array = create_array<float, 1>(store, "a", {.shape = {4}, .chunks = {2}, .fill = nan});
  array.write(all, std::vector{nan, nan, nan, std::bit_cast<float>(0x7fc00000u)});
  CHECK(stored_keys(store) == std::set<std::string>{"a/c/1", "a/zarr.json", "zarr.json"});
  auto const read = open_array<float, 1>(store, "a").read(all);
  CHECK(std::bit_cast<std::uint32_t>(read(0)) == 0x7fc01234u);
  CHECK(std::bit_cast<std::uint32_t>(read(3)) == 0x7fc00000u);
}

TEST_CASE("parts of one chunk written by many threads: nothing is lost, among all arrays over one store") {
  test::TemporaryFolder const folder;
  auto check = [](auto const& store) {
    static constexpr std::size_t n = 64, threads = 4;
    create_array<std::uint16_t, 1>(store, "a", {.shape = {n}, .chunks = {16}},
                                   Pipeline<space::Host, codec::Bytes, codec::Crc32c>{});
    std::vector<std::thread> writers;
    for (std::size_t t = 0; t < threads; ++t)
      writers.emplace_back([t, copy = store] {
        auto const array = open_array<std::uint16_t, 1>(copy, "a", test::HostQueue{1 + t % 2});
        for (std::uint16_t round = 1; round <= 20; ++round)
          array.write({{t, n, threads}}, std::vector<std::uint16_t>(n / threads, static_cast<std::uint16_t>(round + t)));
      });
    for (auto& writer : writers) writer.join();
    auto const read = open_array<std::uint16_t, 1>(store, "a").read(all);
    for (std::size_t i = 0; i < n; ++i) CHECK(read(i) == 20 + i % threads);
  };
  check(MemoryStore<HostBuffer>{});
  check(LocalStore<HostBuffer>{folder.path()});
  check(AnyStore<HostBuffer>{LocalStore<HostBuffer>{folder / "any"}});
}

namespace {

/// Fails at the given write or erase.
struct FullDisk {
  using buffer_type = HostBuffer;
  MemoryStore<HostBuffer> inner;
  std::shared_ptr<std::atomic<int>> until_failure = std::make_shared<std::atomic<int>>(-1);
  std::shared_ptr<std::string> failed = std::make_shared<std::string>();

  void step(Key const& key) const {
    if ((*until_failure)-- != 0) return;
    *failed = key.path;
    throw StoreError{"the disk is full"};
  }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  Queue<space::Host>& on) const {
    return inner.read(key, range, destination, on);
  }
  void write(Key const& key, ByteView<space::Host> value, Queue<space::Host>& on) const {
    step(key);
    inner.write(key, value, on);
  }
  bool erase(Key const& key, Queue<space::Host>& on) const {
    step(key);
    return inner.erase(key, on);
  }
};

}  // namespace

TEST_CASE("a store may fail at any of its writes: every chunk is old or new, the error names the key") {
  for (int k = 0; k < 9; ++k)
    for (std::size_t threads : {1u, 2u}) {
      CAPTURE(k);
      FullDisk const store;
      auto const array =
          create_array<std::uint8_t, 1>(store, "a", {.shape = {18}, .chunks = {2}}, {}, test::HostQueue{threads});
      array.fill(all, 1);
      *store.until_failure = k;
      std::vector<std::uint8_t> wanted(18, 2);
      for (std::size_t i = 8; i < 12; ++i) wanted[i] = 0;  // two chunks are erased
      try {
        array.write(all, wanted, {.mini_batch = 3});
        FAIL_CHECK("nothing was thrown");
      } catch (StoreError const& error) {
        CHECK(error.key() == *store.failed);
        CHECK(error.store() == "store");
      }
      *store.until_failure = -1;
      auto const found = array.read(all);
      for (std::size_t i = 0; i < 18; i += 2) {
        CHECK(found(i) == found(i + 1));
        CHECK((found(i) == 1 || found(i) == wanted[i]));
      }
      array.write(all, wanted);
      auto const last = array.read(all);
      CHECK(std::ranges::equal(last.elements(), wanted));
    }
}

TEST_CASE("a chunk that cannot be read is not overwritten in part") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<std::uint8_t, 1>(store, "a", {.shape = {4}, .chunks = {4}},
                                                   Pipeline<space::Host, codec::Bytes, codec::Crc32c>{});
  test::put(store, "a/c/0", "12345678");
  test::check_refused<CodecError>([&] { array.fill({{0, 1}}, 7); }, {"memory store", "a/c/0", "crc32c", "checksum"});
  CHECK(test::value(store, "a/c/0") == "12345678");
  array.fill(all, 7);  // the whole chunk is different
  CHECK(array.read(all)(3) == 7);
}

namespace {

struct Accessor {};

/// The elements of std::mdspan, with a layout of any strides.
template <class T>
struct Mdspan2 {
  using element_type = T;
  using reference = T&;
  using accessor_type = Accessor;
  T* pointer;
  int shape[2], steps[2];
  static constexpr std::size_t rank() { return 2; }
  T* const& data_handle() const { return pointer; }
  int extent(std::size_t d) const { return shape[d]; }
  int stride(std::size_t d) const { return steps[d]; }
};
static_assert(Mdspan<Mdspan2<int>>);

}  // namespace

template <>
struct tessera::accessor_space<Accessor> {
  using type = space::Host;
};

TEST_CASE("memory of every kind: ranges, views, owned arrays, mdspans") {
  MemoryStore<HostBuffer> const store;
  auto const array = create_array<int, 2>(store, "a", {.shape = {2, 3}, .chunks = {2, 2}});
  array.write(all, std::vector{1, 2, 3, 4, 5, 6});
  std::vector<int> columns(6);
  array.read(all, Mdspan2<int>{columns.data(), {2, 3}, {1, 2}});
  CHECK(columns == std::vector{1, 4, 2, 5, 3, 6});
  array.write(all, Mdspan2<int const>{columns.data(), {2, 3}, {3, 1}});
  CHECK(array.read(all)(1, 0) == 5);
  auto owned = array.read(all);
  owned(0, 0) = 9;
  array.write(all, owned);
  array.write({{1, 2}, all}, array.read({{0, 1}, all}));
  std::span<int> const span{columns};
  array.read(all, span);
  CHECK(columns == std::vector{9, 4, 2, 9, 4, 2});
  auto const view = ArrayView<int, 2>::c_order(columns.data(), {2, 3});
  array.read(all, view);
  array.write(all, std::pmr::vector<int>{1, 2, 3, 4, 5, 6});
  int plain[6];
  array.read(all, plain);
  CHECK(std::ranges::equal(plain, std::vector{1, 2, 3, 4, 5, 6}));
  array.write(all, array_view<space::Host>(Mdspan2<int const>{plain, {2, 3}, {0, 0}}));
  CHECK(array.read(all)(1, 2) == 1);
  array.write(all, std::initializer_list<int>{9, 8, 7, 6, 5, 4});
  CHECK(array.read(all)(1, 2) == 4);
  array.write(all, std::array{1, 1, 1, 1, 1, 1});
  array.read(all, owned);
  CHECK(owned(1, 2) == 1);
  test::check_refused<SelectionError>([&] { array.write(all, Mdspan2<int>{columns.data(), {3, 2}, {2, 1}}); },
                                      {"[3, 2]", "[2, 3]"});
  test::check_refused<SelectionError>([&] { array.write(all, std::vector<int>(5)); }, {"5 elements, expected 6"});
  test::check_refused<SelectionError>([&] { array.write({{0, 3}, all}, columns); }, {"dimension 0", "0:3"});
}

TEST_CASE("an empty box writes nothing; an array without elements can be made") {
  FullDisk const store;
  auto const array = create_array<int, 2>(store, "a", {.shape = {0, 3}, .chunks = {2, 2}});
  *store.until_failure = 0;
  array.write(all, std::vector<int>{});
  array.write({{0, 0}, {1, 1}}, std::vector<int>{});
  CHECK(*store.until_failure == 0);
}
