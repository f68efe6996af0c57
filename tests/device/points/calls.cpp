// fill, read_as, write_as and new buffers of points and masks in device memory, compared with those of host memory.
#include <device/points/points.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include <tessera/array/convert.hpp>
#include <tessera/array/visit.hpp>
#include <tessera/core/float16.hpp>

namespace device_points_calls {

using namespace tessera;
using test::Compressed, test::Coordinates, test::DeviceQueue, test::on_device, test::on_host, test::Random;
using test::points_on_device, test::under_seeds;

namespace {

using Turned = Pipeline<space::Device, codec::Transpose, codec::Bytes, CastTo<space::Host>>;

template <class T, std::size_t Rank>
std::vector<T> elements(OwnedArray<T, Rank, HostBuffer> const& array) {
  return {array.begin(), array.end()};
}

std::vector<std::uint8_t> random_mask(Random& random, Extents const& shape) {
  std::vector<std::uint8_t> mask(test::size_of(shape));
  for (auto& one : mask) one = random.one_in(3);
  return mask;
}

/// Two equal arrays of random chunks, one for the host and one for the device: `f(here, array, on, random)`.
template <class T, class F>
void for_two_arrays(std::uint64_t seed, F const& f) {
  CAPTURE(seed);
  Random random{seed};
  NewArray<T> made{.shape = random.extents(2, 1, 14), .fill = T(7)};
  made.chunks = random.extents(2, 1, 5);
  MemoryStore<HostBuffer> const first, second;
  DeviceQueue on{test::HostQueue{random(1, 2)}};
  std::vector<T> given;
  for (std::size_t i = 0; i < test::size_of(made.shape); ++i) given.push_back(T(static_cast<double>(i % 120)));
  auto const run = [&](auto const& here_through, auto const& there_through) {
    auto const here = create_array<T, 2>(first, "a", made, here_through);
    auto const array = create_array<T, 2>(second, "a", made, there_through, on);
    if (random.one_in(2)) {  // else all chunks are missing
      here.write(all, given);
      array.write(all, on_device<T, 2>(given, made.shape, on)).wait();
    }
    f(here, array, on, random);
  };
  if (random.one_in(2))
    run(Pipeline<space::Host, codec::Bytes, codec::Zstd>{}, Compressed{});
  else  // bytes are swapped, and chunks are not in C order
    run(Pipeline<space::Host, codec::Transpose, codec::Bytes>{codec::Transpose{{1, 0}}, codec::Bytes{std::endian::big}},
        Turned{codec::Transpose{{1, 0}}, codec::Bytes{std::endian::big}, CastTo<space::Host>{}});
}

template <class Program, class T>
void check_conversions(std::uint64_t seed, Conversion const& conversion) {
  for_two_arrays<T>(seed, [&](auto const& here, auto const& array, DeviceQueue& on, Random& random) {
    auto const shape = here.shape();
    auto const coordinates = test::random_coordinates(random, shape, random(0, 200));
    auto const count = coordinates.size() / 2;
    Points const listed{test::places_of(coordinates, 2)};
    auto const points = points_on_device(coordinates, 2, on);
    auto const set = random_mask(random, shape);
    auto const mask = on_device<std::uint8_t, 2>(set, shape, on);

    using test::memory_of;  // missing numbers are NaN
    auto const expected = elements(read_as<Program>(here, listed, conversion));
    CHECK(memory_of(on_host(read_as<Program>(array, DevicePoints{points}, conversion), on)) == memory_of(expected));
    CHECK(memory_of(on_host(read_as<Program>(array, DeviceMask{mask}, conversion), on)) ==
          memory_of(elements(read_as<Program>(here, Mask{set}, conversion))));
    auto const untyped = read_as<Program>(array.untyped(), DevicePoints{points}, conversion);
    CHECK(memory_of(on_host(untyped, on)) == memory_of(expected));
    auto memory = on_device<Program, 1>(std::vector<Program>(2 * count), {2 * count}, on);
    ArrayView<Program, 1, space::Device> const every_second{memory.data(), {count}, {2}};
    read_as(array, DevicePoints{points}, every_second, conversion).wait();
    auto found = on_host(memory, on);
    for (std::size_t i = 0; i < count; ++i) found[i] = found[2 * i];
    found.resize(count);
    CHECK(memory_of(found) == memory_of(expected));

    std::vector<Program> given;
    for (std::size_t i = 0; i < count; ++i) given.push_back(Program(static_cast<double>(i % 50)));
    write_as(here, listed, given, conversion);
    auto const there = on_device<Program, 1>(given, {count}, on);
    write_as(array, DevicePoints{points}, there, conversion).wait();
    CHECK(on_host(array.read(all), on) == elements(here.read(all)));
    std::vector<Program> const of_mask(static_cast<std::size_t>(std::count(set.begin(), set.end(), 1)), Program(3));
    write_as(here, Mask{set}, of_mask, conversion);
    auto const of_device = on_device<Program, 1>(of_mask, {of_mask.size()}, on);
    write_as(array, DeviceMask{mask}, of_device, conversion).wait();
    CHECK(on_host(array.read(all), on) == elements(here.read(all)));
  });
}

}  // namespace

TEST_CASE("a value fills points and masks in device memory as those of host memory") {
  under_seeds(16, [seed = std::uint64_t{0}]() mutable {
    for_two_arrays<int>(++seed, [](auto const& here, auto const& array, DeviceQueue& on, Random& random) {
      auto const shape = here.shape();
      auto const coordinates = test::random_coordinates(random, shape, random(0, 100));
      here.fill(Points{test::places_of(coordinates, 2)}, -5);
      array.fill(DevicePoints{points_on_device(coordinates, 2, on)}, -5).wait();
      CHECK(on_host(array.read(all), on) == elements(here.read(all)));
      auto const set = random_mask(random, shape);
      here.fill(Mask{set}, 9.0);
      array.fill(DeviceMask{on_device<std::uint8_t, 2>(set, shape, on)}, 9.0).wait();
      CHECK(on_host(array.read(all), on) == elements(here.read(all)));
    });
  });
}

TEST_CASE("numbers of points and masks in device memory are converted as those of host memory") {
  under_seeds(16, [seed = std::uint64_t{0}]() mutable {
    ++seed;
    check_conversions<float, std::int16_t>(seed, {.scale = 0.5, .offset = 1});
    check_conversions<double, std::uint8_t>(seed, {.missing = {7}});
    check_conversions<int, float>(seed, {});
    check_conversions<std::int8_t, double>(seed, {.out_of_range = OutOfRange::saturate});
    check_conversions<float, float>(seed, {});
    check_conversions<float16, std::int64_t>(seed, {});
  });
}

TEST_CASE("a number of points in device memory that does not fit is named, and only if it is selected") {
  under_seeds(8, [] {
    DeviceQueue on{test::HostQueue{1}};
    auto const array = create_array<int, 1>(MemoryStore<HostBuffer>{}, "a",
                                            {.shape = {20}, .chunks = {4}, .fill = 1000}, Compressed{}, on);
    array.write({{0, 12}}, on_device<int, 1>({1, 2, 3, 4, 5, 6, 7, 300, 9, 10, 11, 12}, {12}, on)).wait();
    auto const fitting = points_on_device({11, 0, 5}, 1, on), large = points_on_device({11, 7, 5, 7}, 1, on);
    auto const missing = points_on_device({3, 2, 13}, 1, on);
    CHECK(on_host(read_as<std::uint8_t>(array, DevicePoints{fitting}), on) == std::vector<std::uint8_t>{12, 1, 6});
    auto const refused = [&](auto const& points, std::initializer_list<char const*> words) {
      test::check_refused<ConversionError>([&] { (void)read_as<std::uint8_t>(array, DevicePoints{points}); }, words);
      auto memory = on_device<std::uint8_t, 1>({1, 2, 3, 4}, {4}, on);
      ArrayView<std::uint8_t, 1, space::Device> const view{memory.data(), {points.shape()[0]}, {1}};
      auto pending = read_as(array, DevicePoints{points}, view);
      test::check_refused<ConversionError>([&] { pending.wait(); }, words);
    };
    refused(large, {"key \"a\"", "300", "[1] of the selection"});
    refused(missing, {"key \"a\"", "1000", "[2] of the selection"});
    auto const given = on_device<double, 1>({1, 2, 1e10}, {3}, on);
    auto const before = on_host(array.read(all), on);
    test::check_refused<ConversionError>([&] { write_as(array, DevicePoints{fitting}, given).wait(); },
                                         {"key \"a\"", "[2] of the selection"});
    CHECK(on_host(array.read(all), on) == before);
  });
}

TEST_CASE("points in device memory are read into pinned buffers, and of an array whose rank is unknown") {
  under_seeds(4, [] {
    MemoryStore<HostBuffer> const store;
    DeviceQueue on{test::HostQueue{1}};
    auto const array = create_array<int, 1>(store, "a", {.shape = {30}, .chunks = {7}}, Compressed{}, on);
    array.write(all, on_device<int, 1>(test::numbers_from(0, 30), {30}, on)).wait();
    auto const points = points_on_device({29, 4, 4}, 1, on);
    auto const pinned = array.read<PinnedBuffer>(DevicePoints{points});
    CHECK(std::vector<int>(pinned.begin(), pinned.end()) == std::vector{29, 4, 4});

    ArrayOf<int, MemoryStore<HostBuffer>, Compressed> const any{array.untyped()};
    CHECK(on_host(any.read(DevicePoints{points}), on) == std::vector{29, 4, 4});
    auto memory = on_device<int, 1>({-1, -2, -3}, {3}, on);
    any.write(DevicePoints{points}, memory).wait();
    any.read(DevicePoints{points}, memory).wait();
    CHECK(on_host(memory, on) == std::vector{-1, -3, -3});
  });
}

}  // namespace device_points_calls
