// Selections of arrays in device memory by their types; random_device_arrays.cpp has those of every kind and layout.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <device/arrays.hpp>

using namespace tessera;
using test::Compressed, test::DeviceQueue, test::on_device, test::on_host, test::under_seeds;

namespace {
using Ints = std::vector<int>;
}

TEST_CASE("points, lists, a mask and blocks of an array in device memory, into memory of each space") {
  under_seeds(8, [] {
    DeviceQueue on{test::HostQueue{}};
    auto const array = create_array<int, 2>(MemoryStore<HostBuffer>{}, "a", {.shape = {5, 7}, .chunks = {2, 3}},
                                            Compressed{}, on);
    array.on(on).write(all, on_device<int, 2>(test::numbers_from(0, 35), {5, 7}, on)).wait();
    Points const points{std::vector{4, 0, 4}, std::vector{6, 1, 6}};
    auto const there = array.read(points);
    static_assert(std::same_as<decltype(there), OwnedArray<int, 1, DeviceBuffer> const>);
    CHECK(on_host(there, on) == Ints{34, 1, 34});
    auto const pinned = array.on(on).read<PinnedBuffer>(Orthogonal{std::vector{3, 0}, Slice{1, 7, 3}}, {.mini_batch = 1});
    CHECK(std::ranges::equal(pinned.elements(), Ints{22, 25, 1, 4}));

    array.on(on).write(points, on_device<int, 1>({-1, -2, -3}, {3}, on)).wait();
    std::vector<std::uint8_t> mask(35);
    mask[2] = mask[3] = mask[33] = 1;
    array.on(on).fill(Mask{mask}, 99).wait();
    array.on(on).fill({2, all}, 98).wait();
    auto blocks = on_device<int, 2>(Ints(14), {7, 2}, on);  // the transpose of the elements read
    ArrayView<int, 2, space::Device> const transposed{blocks.data(), {2, 7}, {1, 2}};
    array.on(on).read(Blocks{1, all}, transposed).wait();
    CHECK(on_host(blocks, on) == Ints{98, 21, 98, 22, 98, 23, 98, 24, 98, 25, 98, 26, 98, 27});
    CHECK(on_host(array.read(Blocks{2, {1, 3}}), on) == Ints{31, 32, 99, -3});
    CHECK(on_host(array.read(Box{0, {1, 4}}), on) == Ints{-2, 99, 99});
  });
}

TEST_CASE("more parts of one chunk than one kernel places") {
  DeviceQueue on{test::HostQueue{}};
  auto const array = create_array<std::uint16_t, 2>(MemoryStore<HostBuffer>{}, "a",
                                                    {.shape = {70, 70}, .chunks = {70, 70}}, Compressed{}, on);
  std::vector<std::uint8_t> checkers(4900);
  std::vector<std::uint16_t> given;
  for (std::size_t i = 0; i < 4900; ++i)
    if ((checkers[i] = (i / 70 + i) % 2) != 0) given.push_back(static_cast<std::uint16_t>(i));
  array.on(on).write(Mask{checkers}, on_device<std::uint16_t, 1>(given, {given.size()}, on)).wait();
  CHECK(on_host(array.read(Mask{checkers}), on) == given);
  auto const whole = on_host(array.read(all), on);
  for (std::size_t i = 0; i < 4900; ++i) CHECK(whole[i] == (checkers[i] ? i : 0));
}

#if defined(TESSERA_CUDA_EMULATION)

TEST_CASE("points, lists and a mask in device memory: a launch for all of a mini-batch, and nothing is allocated again") {
  constexpr std::uint64_t n = 120;
  DeviceQueue on{test::HostQueue{2}};
  MemoryStore<HostBuffer> const store;
  auto const array =
      create_array<int, 2>(store, "a", {.shape = {n, n}, .chunks = {40, 30}}, Compressed{}, on);
  auto const numbers = test::numbers_from(0, n * n);
  array.on(on).write(all, on_device<int, 2>(numbers, {n, n}, on)).wait();
  store.erase({"a/c/1/1"}, on.host());
  auto expected = numbers;
  for (std::uint64_t i = 40; i < 80; ++i)
    for (std::uint64_t j = 30; j < 60; ++j) expected[i * n + j] = 0;

  std::vector<std::uint64_t> rows, columns, list;
  std::vector<std::uint8_t> mask(n * n);
  for (std::uint64_t i = 0; i < n * n; ++i) mask[i] = i * i % 3 == 1;
  for (std::uint64_t i = 0; i < 3000; ++i) rows.push_back(i * 7 % n), columns.push_back(i * 11 % n);
  for (std::uint64_t i = 0; i < n; ++i) list.push_back(n - 1 - i * 7 % n);
  ReadOptions const options{.mini_batch = every_chunk, .in_flight = 1};
  auto const check = [&](auto const& selection, auto memory, std::vector<int> const& picked) {
    auto const read = [&] { array.on(on).read(selection, memory, options).wait(); };
    read();
    emulation::Watch const watch;
    read();
    CHECK(watch.launches() == 1);
    CHECK(test::copies(watch) == 2);  // the data, and the table
    CHECK(watch.synchronisations() == 0);
    CHECK(test::allocations(watch) == 0);
    CHECK(on_host(memory, on) == picked);
  };
  Ints of_points, of_lists, of_mask;
  for (std::size_t i = 0; i < rows.size(); ++i) of_points.push_back(expected[rows[i] * n + columns[i]]);
  for (auto i : list)
    for (auto j : list) of_lists.push_back(expected[i * n + j]);
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (mask[i] != 0) of_mask.push_back(expected[i]);
  check(Points{rows, columns}, on_device<int, 1>(Ints(rows.size()), {rows.size()}, on), of_points);
  check(Orthogonal{list, list}, on_device<int, 2>(Ints(n * n), {n, n}, on), of_lists);
  check(Mask{mask}, on_device<int, 1>(Ints(of_mask.size()), {of_mask.size()}, on), of_mask);

  // Whole chunks: one launch places the elements, and another tests for the fill value.
  auto const given = on_device<int, 2>(of_lists, {n, n}, on);
  auto const write = [&] {
    array.on(on).write(Orthogonal{list, list}, given, {.mini_batch = every_chunk, .in_flight = 1}).wait();
  };
  write();
  emulation::Watch const watch;
  write();
  CHECK(watch.launches() == 2);
  CHECK(test::allocations(watch) == 0);
  CHECK(on_host(array.read(all), on) == expected);
}

TEST_CASE("as many launches as a list of points is long") {
  constexpr std::size_t most = detail::ListedPlacer<space::Device>::most;
  DeviceQueue on{test::HostQueue{1}};
  auto const array = create_array<std::uint16_t, 1>(MemoryStore<HostBuffer>{}, "a",
                                                    {.shape = {3000}, .chunks = {3000}}, Compressed{}, on);
  array.on(on).write(all, on_device<std::uint16_t, 1>(std::vector<std::uint16_t>(3000, 7), {3000}, on)).wait();
  for (std::size_t count : {most, most + 1, 2 * most + 5}) {
    std::vector<std::uint64_t> places;
    for (std::size_t i = 0; i < count; ++i) places.push_back(i * 17 % 3000);
    auto memory = on_device<std::uint16_t, 1>(std::vector<std::uint16_t>(count), {count}, on);
    emulation::Watch const watch;
    array.on(on).read(Points{places}, memory).wait();
    CHECK(watch.launches() == (count - 1) / most + 1);
    CHECK(on_host(memory, on) == std::vector<std::uint16_t>(count, 7));
  }
}

#endif
