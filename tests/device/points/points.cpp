// DevicePoints and DeviceMask, compared with Points and Mask of host memory.
#include <device/points/points.hpp>

#include <algorithm>
#include <bit>
#include <complex>
#include <string>

#include <support/rectilinear_array.hpp>

namespace device_points_tests {

using namespace tessera;
using test::Compressed, test::Coordinates, test::DeviceQueue, test::on_device, test::on_host, test::Random;
using test::points_on_device, test::under_seeds;

namespace {

using Raw = Pipeline<space::Host, codec::Bytes>;
using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;

template <class T, std::size_t Rank>
std::vector<T> elements(OwnedArray<T, Rank, HostBuffer> const& array) {
  return {array.begin(), array.end()};
}

template <class T>
std::vector<T> numbers(std::size_t count) {
  std::vector<T> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(T(static_cast<double>(i % 251)));
  return result;
}

/// Writes points that repeat, and a mask: of an element that is selected several times, the last value stays.
template <class Here, class There>
void check_writes(Random& random, Here const& here, There const& array, DeviceQueue& on) {
  using T = typename There::element_type;
  auto const shape = here.shape();
  auto const rank = shape.rank();
  WriteOptions const options{.mini_batch = random(0, 3), .in_flight = random(0, 2)};
  for (std::size_t const count : {std::size_t{0}, std::size_t{1}, std::size_t{random(2, 300)}}) {
    auto const coordinates = test::random_coordinates(random, shape, count);
    auto given = numbers<T>(count);
    std::reverse(given.begin(), given.end());
    auto expected = elements(here.read(all));
    auto const places = test::places_of(coordinates, rank);
    for (std::size_t i = 0; i < count; ++i) expected[test::c_index(shape, places[i])] = given[i];
    auto const there = points_on_device(coordinates, rank, on);
    array.write(DevicePoints{there}, on_device<T, 1>(given, {count}, on), options).wait();
    CHECK(elements(here.read(all)) == expected);
  }
  std::vector<std::uint8_t> mask(test::size_of(shape));
  for (auto& one : mask) one = random.one_in(3);
  auto const given = numbers<T>(static_cast<std::size_t>(std::count(mask.begin(), mask.end(), 1)));
  auto expected = elements(here.read(all));
  for (std::size_t i = 0, k = 0; i < mask.size(); ++i)
    if (mask[i] != 0) expected[i] = given[k++];
  auto const there = on_device<std::uint8_t, There::rank>(mask, shape, on);
  array.write(DeviceMask{there}, on_device<T, 1>(given, {given.size()}, on), options).wait();
  CHECK(elements(here.read(all)) == expected);
}

/// Points and masks of one array: `here` is read on the host, and `array` in device memory.
template <class Here, class There>
void check_selections(Random& random, Here const& here, There const& array, DeviceQueue& on) {
  auto const shape = here.shape();
  auto const rank = shape.rank();
  ReadOptions const options{.mini_batch = random(0, 3), .in_flight = random(0, 2)};
  for (std::size_t const count : {std::size_t{0}, std::size_t{1}, std::size_t{random(2, 300)}}) {
    auto const coordinates = test::random_coordinates(random, shape, count);
    auto const expected = elements(here.read(Points{test::places_of(coordinates, rank)}));
    auto const there = points_on_device(coordinates, rank, on);
    CHECK(on_host(array.read(DevicePoints{there}, options), on) == expected);

    // Coordinates by dimension and backwards, into every second element.
    std::vector<std::int64_t> turned(coordinates.size());
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t d = 0; d < rank; ++d) turned[d * count + count - 1 - i] = coordinates[i * rank + d];
    auto const rows = on_device<std::int64_t, 2>(turned, {rank, count}, on);
    auto const n = static_cast<std::int64_t>(count);
    ArrayView<std::int64_t const, 2, space::Device> const view{rows.data() + n - 1, {count, rank}, {-1, n}};
    using T = typename There::element_type;
    auto memory = on_device<T, 1>(std::vector<T>(2 * count), {2 * count}, on);
    array.read(DevicePoints{view}, ArrayView<T, 1, space::Device>{memory.data(), {count}, {2}}, options).wait();
    auto found = on_host(memory, on);
    for (std::size_t i = 0; i < count; ++i) found[i] = found[2 * i];
    found.resize(count);
    CHECK(found == expected);
  }
  for (std::uint64_t const dense : {1u, 2u, 40u}) {
    std::vector<std::uint8_t> mask(test::size_of(shape));
    for (auto& one : mask) one = static_cast<std::uint8_t>(random.one_in(dense) ? random(1, 255) : 0);
    auto const expected = elements(here.read(Mask{mask}));
    auto const there = on_device<std::uint8_t, There::rank>(mask, shape, on);
    CHECK(on_host(array.read(DeviceMask{there}, options), on) == expected);

    // The same mask, the first dimension densest.
    ArrayView<std::uint8_t, There::rank, space::Device> turned{nullptr, {}, {}};
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < rank; stride *= static_cast<std::int64_t>(shape[d++])) {
      turned.shape[d] = shape[d];
      turned.strides[d] = stride;
    }
    std::vector<std::uint8_t> other(mask.size());
    test::for_each_index(shape, [&](Extents const& index) {
      std::int64_t at = 0;
      for (std::size_t d = 0; d < rank; ++d) at += static_cast<std::int64_t>(index[d]) * turned.strides[d];
      other[static_cast<std::size_t>(at)] = mask[test::c_index(shape, index)];
    });
    auto const memory = on_device<std::uint8_t, 1>(other, {other.size()}, on);
    turned.data = const_cast<std::uint8_t*>(memory.data());
    CHECK(on_host(array.read(DeviceMask{turned}, options), on) == expected);
  }
}

template <class Device, class Host, class T, std::size_t Rank>
void check_random(std::uint64_t seed, Host const& pipeline, bool in_shards) {
  CAPTURE(seed);
  CAPTURE(Rank);
  Random random{seed};
  NewArray<T> made{.shape = random.extents(Rank, 1, 40 / (Rank + 1)), .fill = T(7)};
  made.chunks = random.extents(Rank, 1, 9);
  if (in_shards) {
    made.shards = made.chunks;
    for (std::size_t d = 0; d < Rank; ++d) made.shards[d] *= random(1, 3);
  }
  MemoryStore<HostBuffer> const store;
  auto const here = create_array<T, Rank>(store, "a", made, pipeline);
  here.write(all, numbers<T>(test::size_of(made.shape)));
  store.erase({Rank == 1 ? "a/c/0" : Rank == 2 ? "a/c/0/0" : "a/c/0/0/0"}, here.queue());
  DeviceQueue on{test::HostQueue{random(1, 2)}};
  auto const array = open_array<T, Rank, Device>(store, "a", on);
  check_selections(random, here, array, on);
  check_writes(random, here, array, on);
  check_selections(random, here, array, on);
}

}  // namespace

TEST_CASE("points and masks in device memory select what they select in host memory") {
  under_seeds(16, [seed = std::uint64_t{0}]() mutable {
    ++seed;
    check_random<test::FromHost, Raw, int, 1>(seed, Raw{}, false);
    check_random<Compressed, Zstd, int, 2>(seed, Zstd{}, seed % 2 == 0);
    check_random<Compressed, Zstd, std::uint8_t, 3>(seed, Zstd{}, seed % 2 == 1);
    using Turned = Pipeline<space::Host, codec::Transpose, codec::Bytes>;
    using TurnedOnDevice = Pipeline<space::Device, codec::Transpose, codec::Bytes, CastTo<space::Host>>;
    check_random<TurnedOnDevice, Turned, double, 2>(seed, {codec::Transpose{{1, 0}}, {std::endian::big}}, false);
    check_random<test::FromHost, Raw, std::complex<double>, 2>(seed, Raw{codec::Bytes{std::endian::big}}, false);
  });
}

TEST_CASE("points and masks in device memory of chunks of different lengths, with and without shards") {
  under_seeds(16, [seed = std::uint64_t{0}]() mutable {
    Random random{++seed};
    CAPTURE(seed);
    bool const has_shards = random.one_in(2);
    auto const shape = random.extents(2, 1, 30), inner = random.extents(2, 1, 4);
    MemoryStore<HostBuffer> const store;
    test::put_rectilinear(store, shape, test::random_lengths(random, shape, inner),
                          has_shards ? test::sharded_codecs(inner) : test::plain_codecs);
    using OnHost = AnyPipeline<space::Host, space::Host, AllCodecs>;
    auto const here = open_array<std::int32_t, 2, OnHost>(store, "a");
    here.write(all, numbers<std::int32_t>(test::size_of(shape)));
    DeviceQueue on{test::HostQueue{1}};
    auto const array = open_array<std::int32_t, 2, test::Known>(store, "a", on);
    check_selections(random, here, array, on);
    check_writes(random, here, array, on);
  });
}

TEST_CASE("points in device memory are written to each shard once") {
  DeviceQueue on{test::HostQueue{1}};
  auto const array = create_array<int, 2>(MemoryStore<HostBuffer>{}, "a",
                                          {.shape = {8, 8}, .shards = {4, 4}, .chunks = {2, 2}}, Compressed{}, on);
  Coordinates everywhere;
  for (std::int64_t i = 0; i < 64; ++i) everywhere.insert(everywhere.end(), {i % 8, i / 8});
  auto const given = on_device<int, 1>(test::numbers_from(0, 64), {64}, on);
  std::uint64_t shards = 0;
  WriteOptions const options{.progress = [&](std::uint64_t, std::uint64_t all_of_them) { shards = all_of_them; }};
  array.write(DevicePoints{points_on_device(everywhere, 2, on)}, given, options).wait();
  CHECK(shards == 4);
  CHECK(on_host(array.read({7, {6, 8}}), on) == std::vector{55, 63});
}

TEST_CASE("points in device memory of an array without dimensions, and of more chunks than 32 bits count") {
  under_seeds(4, [] {
    MemoryStore<HostBuffer> const store;
    DeviceQueue on{test::HostQueue{1}};
    auto const one = create_array<int, 0>(store, "one", {}, Compressed{}, on);
    one.write(all, on_device<int, 0>({5}, {}, on)).wait();
    ArrayView<std::int64_t const, 2, space::Device> const none{nullptr, {3, 0}, {0, 1}};
    CHECK(on_host(one.read(DevicePoints{none}), on) == std::vector{5, 5, 5});
    auto const set = on_device<std::uint8_t, 0>({1}, {}, on), unset = on_device<std::uint8_t, 0>({0}, {}, on);
    CHECK(on_host(one.read(DeviceMask{set}), on) == std::vector{5});
    CHECK(on_host(one.read(DeviceMask{unset}), on).empty());

    constexpr std::uint64_t length = 1'000'000'000'000'000'000;
    auto const long_one = create_array<int, 1>(store, "long",
                                               {.shape = {length}, .chunks = {10}, .fill = -1}, Compressed{}, on);
    long_one.write({{length - 3, length}}, on_device<int, 1>({1, 2, 3}, {3}, on)).wait();
    auto const points = points_on_device({length - 1, 0, length - 3, length - 4, length - 1}, 1, on);
    CHECK(on_host(long_one.read(DevicePoints{points}), on) == std::vector{3, -1, 1, -1, 3});
    long_one.write(DevicePoints{points}, on_device<int, 1>({10, 11, 12, 13, 14}, {5}, on)).wait();
    CHECK(on_host(long_one.read(DevicePoints{points}), on) == std::vector{14, 11, 12, 13, 14});
    one.write(DevicePoints{none}, on_device<int, 1>({10, 11, 12}, {3}, on)).wait();
    CHECK(on_host(one.read(all), on) == std::vector{12});
  });
}

TEST_CASE("what is wrong with points and masks in device memory is said as on the host") {
  under_seeds(8, [] {
    DeviceQueue on{test::HostQueue{1}};
    auto const array = create_array<int, 2>(MemoryStore<HostBuffer>{}, "a",
                                            {.shape = {5, 7}, .chunks = {2, 3}}, Compressed{}, on);
    auto const refused = [&](Coordinates const& coordinates, std::initializer_list<char const*> words) {
      auto const points = points_on_device(coordinates, 2, on);
      test::check_refused<SelectionError>([&] { array.read(DevicePoints{points}); }, words);
      auto const given = on_device<int, 1>(std::vector<int>(coordinates.size() / 2), {coordinates.size() / 2}, on);
      test::check_refused<SelectionError>([&] { array.write(DevicePoints{points}, given).wait(); }, words);
    };
    refused({0, 0, 4, 7, 5, 0}, {"key \"a/zarr.json\"", "point 1, dimension 1: found index 7, expected one below 7"});
    refused({4, 6, 0, 0, 0, 0, -1, 9}, {"point 3, dimension 0: found index -1, expected 0 or more"});
    refused({0, 0, 5, 1, 0, 1, 5, 1, 5, 1}, {"point 1, dimension 0"});
    refused({5, 0}, {"point 0, dimension 0: found index 5, expected one below 5"});
    auto const flat = points_on_device({1, 2, 3}, 3, on);
    test::check_refused<SelectionError>([&] { array.read(DevicePoints{flat}); },
                                        {"key \"a/zarr.json\"", "found 3 coordinates for an array of 2 dimensions"});
    auto const points = points_on_device({1, 2, 3, 4}, 2, on);
    auto memory = on_device<int, 1>({1, 2, 3}, {3}, on);
    test::check_refused<SelectionError>([&] { array.read(DevicePoints{points}, memory).wait(); },
                                        {"a/zarr.json", "3", "2"});
    test::check_refused<SelectionError>(
        [&] { array.read(DevicePoints{points}, ArrayView<int, 1, space::Device>{memory.data(), {2}}).wait(); },
        {"a/zarr.json", "stride along dimension 0 is 0"});
    ArrayView<std::int64_t const, 2, space::Device> const many{points.data(), {std::uint64_t{1} << 32, 2}, {0, 1}};
    test::check_refused<SelectionError>([&] { array.read(DevicePoints{many}); },
                                        {"found 4294967296 points in device memory, expected at most 2^32 - 1"});
    auto const mask = on_device<std::uint8_t, 2>(std::vector<std::uint8_t>(36), {6, 6}, on);
    test::check_refused<SelectionError>([&] { array.read(DeviceMask{mask}); },
                                        {"dimension 0: found a mask of length 6, expected 5"});
  });
}

}  // namespace device_points_tests
