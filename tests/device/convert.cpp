// Arrays in device memory read into numbers of another type and written from them, like those in host memory.
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <device/arrays.hpp>
#include <support/converted_arrays.hpp>
#include <support/refused.hpp>
#include <tessera/any_spaces.hpp>
#include <tessera/array/convert.cuh>

using namespace tessera;
using codec::Bytes, codec::Sharding, codec::Transpose, codec::Zstd;
using test::DeviceQueue, test::Random, test::under_seeds;

namespace {

// Memory of buffers B, of a queue of its own.
template <class B>
struct MemoryOf {
  using Space = typename B::space_type;
  explicit MemoryOf(std::size_t size) : buffer(size, on) { on.wait(); }
  void put(test::Bytes const& bytes) {
    crossing<Space, space::Host>::copy({bytes.data(), bytes.size()}, buffer.span(),
                                       queue_between<Space, space::Host>(on));
    on.wait();
  }
  test::Bytes get() {
    test::Bytes bytes(buffer.view().size);
    crossing<space::Host, Space>::copy(buffer.view(), {bytes.data(), bytes.size()},
                                       queue_between<space::Host, Space>(on));
    on.wait();
    return bytes;
  }
  std::byte* data() { return buffer.span().data; }
  DeviceQueue on;
  B buffer;
};
using DeviceMemory = MemoryOf<DeviceBuffer>;

template <class Program, class T, class Memory = DeviceMemory, class Store, class P>
void check(std::uint64_t seed, Store const& store, P const& pipeline) {
  CAPTURE(seed);
  Random random{seed};
  test::check_conversion<Program, T, Memory>(
      random, [&](Extents const& shape, Extents const& chunk_shape, T fill) {
        return create_array<T, 2>(store, "a", {.shape = shape, .chunks = chunk_shape, .fill = fill}, pipeline,
                                  DeviceQueue{test::HostQueue{random(1, 3)}});
      });
}

template <class Program, class T>
void check_pair() {
  std::uint64_t seed = 0;
  under_seeds(8, [&] {
    ++seed;
    auto const order = seed % 2 == 0 ? std::endian::big : std::endian::little;
    Extents const axes = seed % 3 == 0 ? Extents{0, 1} : Extents{1, 0};
    using Across = Pipeline<space::Device, Transpose, Bytes, CastTo<space::Host>, Zstd>;
    check<Program, T>(seed, MemoryStore<HostBuffer>{}, Across{Transpose{axes}, Bytes{order}, {}, {}});
  });
}

}  // namespace

TEST_CASE("device arrays as numbers of another type") {
  check_pair<float, std::uint16_t>();
  check_pair<float, float16>();
  check_pair<float16, double>();
  check_pair<std::uint8_t, std::int16_t>();
  check_pair<std::uint64_t, std::int64_t>();
  check_pair<std::int64_t, double>();
}

TEST_CASE("device arrays in device stores as numbers of another type") {
  std::uint64_t seed = 0;
  under_seeds(8, [&] {
    ++seed;
    check<float, std::uint16_t>(seed, test::in_device_memory(), test::OnDevice{Bytes{std::endian::big}});
  });
}

TEST_CASE("elements that lie apart by parts of an element, within a shard of the device") {
  using Inner = test::OnDevice;
  std::uint64_t seed = 0;
  under_seeds(8, [&] {
    ++seed;
    Sharding<Inner> sharding{.chunk_shape = {2, 3}};
    sharding.index_at_start = true;  // and a checksum of 4 bytes
    check<float, double>(seed, test::in_device_memory(), Pipeline<space::Device, Sharding<Inner>>{sharding});
  });
}

TEST_CASE_TEMPLATE("device arrays as numbers of another type, in memory that both sides reach", B, PinnedBuffer,
                   ManagedBuffer) {
  using Across = Pipeline<space::Device, Transpose, Bytes, CastTo<space::Host>, Zstd>;
  std::uint64_t seed = 0;
  under_seeds(8, [&] {
    ++seed;
    check<float, std::uint16_t, MemoryOf<B>>(seed, MemoryStore<HostBuffer>{}, Across{Transpose{{1, 0}}, {}, {}, {}});
    check<std::uint8_t, double, MemoryOf<B>>(seed, test::in_device_memory(), test::OnDevice{Bytes{std::endian::big}});
  });
}

TEST_CASE_TEMPLATE("arrays in memory that both sides reach as numbers of another type", B, PinnedBuffer,
                   ManagedBuffer) {
  using Space = typename B::space_type;
  using Decoded = Pipeline<Space, Transpose, Bytes, Zstd>;
  using Stored = Pipeline<Space, Bytes>;  // no codec that would wait for the bytes
  using Across = Pipeline<Space, Bytes, CastTo<space::Host>, Zstd>;
  std::uint64_t seed = 0;
  under_seeds(8, [&] {
    ++seed;
    auto const store = [] { return SplitStore{MemoryStore<HostBuffer>{}, MemoryStore<B>{}}; };
    check<float, std::uint16_t, MemoryOf<B>>(seed, store(), Decoded{Transpose{{1, 0}}, Bytes{}, {}});
    check<std::uint8_t, std::int16_t, MemoryOf<B>>(seed, store(), Stored{Bytes{std::endian::big}});
    check<float16, double, MemoryOf<B>>(seed, MemoryStore<HostBuffer>{}, Across{});
  });
}

namespace {

// The elements are 1, 2, 300, 300; `few` is of bytes.
template <class B, class Array, class Few>
void check_named(Array const& array, Few const& few, DeviceQueue& on) {
  OwnedArray<int, 1, B> numbers{{4}, on};
  read_as(array, all, numbers).wait();
  CHECK(test::on_host(numbers, on) == std::vector{1, 2, 300, 300});
  OwnedArray<std::uint8_t, 1, B> bytes{{4}, on};
  auto reading = read_as(array, all, bytes);
  test::check_refused<ConversionError>([&] { reading.wait(); }, {"\"a\"", "element [2] of the selection is 300"});
  read_as(array, all, bytes.view(), {.out_of_range = OutOfRange::saturate}).wait();
  CHECK(test::on_host(bytes, on) == std::vector<std::uint8_t>{1, 2, 255, 255});
  test::check_refused<SelectionError>([&] { read_as(array, {{0, 9}}, numbers).wait(); },
                                      {"\"a/zarr.json\"", "dimension 0"});

  test::check_refused<ConversionError>([&] { write_as(few, all, numbers).wait(); },
                                       {"\"b\"", "element [2] of the selection is 300"});
  CHECK(test::on_host(read_as<int>(few, all), on) == std::vector(4, 9));  // nothing is written
  write_as(few, all, numbers.view(), {.scale = 2}).wait();
  CHECK(test::on_host(few.read(all), on) == std::vector<std::uint8_t>{0, 1, 150, 150});
}

}  // namespace

TEST_CASE_TEMPLATE("a number that does not fit is named, in memory that both sides reach", B, PinnedBuffer,
                   ManagedBuffer) {
  using InIt = Pipeline<typename B::space_type, Bytes, CastTo<space::Host>>;
  under_seeds(16, [] {
    DeviceQueue on;
    auto const check_with = [&]<class P>(P const& pipeline) {
      MemoryStore<HostBuffer> const store;
      auto const array =
          create_array<double, 1>(store, "a", {.shape = {4}, .chunks = {2}, .fill = 300}, pipeline, on);
      array.write({{0, 2}}, test::on_device<double, 1, B>({1, 2}, {2}, on)).wait();
      auto const few =
          create_array<std::uint8_t, 1>(store, "b", {.shape = {4}, .chunks = {2}, .fill = 9}, pipeline, on);
      check_named<B>(array, few, on);
    };
    check_with(test::FromHost{});
    check_with(InIt{});
  });
}

TEST_CASE_TEMPLATE("numbers that the device has yet to make are looked at when they are there", B, PinnedBuffer,
                   ManagedBuffer) {
  using InIt = Pipeline<typename B::space_type, Bytes, CastTo<space::Host>>;
  under_seeds(16, [] {
    DeviceQueue on;
    MemoryStore<HostBuffer> const store;
    auto const made =
        create_array<double, 1>(store, "a", {.shape = {4}, .chunks = {2}, .fill = 300}, test::FromHost{}, on);
    auto const few = create_array<std::uint8_t, 1>(store, "b", {.shape = {4}, .chunks = {2}}, InIt{}, on);
    auto numbers = test::on_device<double, 1, B>({1, 2, 3, 4}, {4}, on);
    made.read(all, numbers).detach();
    test::check_refused<ConversionError>([&] { write_as(few, all, numbers).wait(); },
                                         {"\"b\"", "element [0] of the selection is 300"});
  });
}

TEST_CASE("a number of device memory that does not fit is named by who waits") {
  under_seeds(16, [] {
    DeviceQueue on;
    auto const array = create_array<double, 1>(MemoryStore<HostBuffer>{}, "a",
                                               {.shape = {4}, .chunks = {2}, .fill = 300}, test::FromHost{}, on);
    array.write({{0, 2}}, test::on_device<double, 1>({1, 2}, {2}, on)).wait();
    DeviceMemory memory(4);
    auto const bytes =
        ArrayView<std::uint8_t, 1, space::Device>::c_order(reinterpret_cast<std::uint8_t*>(memory.data()), {4});
    auto reading = read_as(array, all, bytes);
    test::check_refused<ConversionError>([&] { reading.wait(); },
                                         {"\"a\"", "element [2] of the selection is 300", "uint8"});
    test::check_refused<ConversionError>([&] { (void)read_as<std::uint8_t>(array, all); }, {"element [2]"});
    read_as(array, all, bytes, {.out_of_range = OutOfRange::saturate}).detach();
    on.wait();
    CHECK(memory.get().back() == std::byte{255});
    CHECK(test::on_host(read_as<float>(array, all, {.scale = 0.5}), on) == std::vector<float>{0.5F, 1, 150, 150});
    auto const given = test::on_device<int, 1>({1, 256}, {2}, on);
    auto const few = create_array<std::uint8_t, 1>(MemoryStore<HostBuffer>{}, "b", {.shape = {2}, .chunks = {2}},
                                                   test::FromHost{}, on);
    test::check_refused<ConversionError>([&] { write_as(few, all, given).wait(); },
                                         {"\"b\"", "element [1] of the selection is 256"});
    CHECK(test::on_host(few.read(all), on) == std::vector<std::uint8_t>{0, 0});  // nothing is written
  });
}

#if defined(TESSERA_CUDA_EMULATION)
TEST_CASE("the k-th call of a write of numbers that do not fit fails: the memory is the caller's again") {
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    emulation::seed(15);  // late
    bool failed = false;
    {
      DeviceQueue on{test::HostQueue{}}, apart{test::HostQueue{}};
      auto const array = create_array<std::uint8_t, 1>(MemoryStore<HostBuffer>{}, "a",
                                                       {.shape = {4}, .chunks = {2}}, test::Compressed{}, on);
      {
        auto const given = test::on_device<double, 1>({1, 2, 300, 4}, {4}, apart);
        emulation::fail(k);
        CHECK_THROWS_AS(write_as(array, all, given).wait(), Error);
        failed = emulation::has_failed();
        emulation::fail_nothing();
      }
      apart.wait();
      apart.trim();
      CHECK_NOTHROW(on.wait());  // no access to freed memory
    }
    test::check_nothing_left();
    if (!failed) {
      CHECK(k > 5);
      break;
    }
  }
}

TEST_CASE("what is converted is launched and waited for as often as what is not") {
  DeviceQueue on;
  auto const array = create_array<double, 1>(MemoryStore<HostBuffer>{}, "a", {.shape = {4000}, .chunks = {100}},
                                             test::FromHost{}, on);
  array.fill(all, 7).wait();
  OwnedArray<double, 1, DeviceBuffer> same{{4000}, on};
  OwnedArray<float, 1, DeviceBuffer> other{{4000}, on};
  auto const counts = [&](auto&& read) {
    read();  // the queue's cached memory is allocated
    emulation::Watch const watch;
    read();
    return std::pair{watch.launches(), watch.synchronisations()};
  };
  auto const plain = counts([&] { array.read(all, same).wait(); });
  CHECK(plain.first > 0);
  CHECK(counts([&] { read_as(array, all, other).wait(); }) == plain);
}
#endif
