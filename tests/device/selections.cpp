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
    DeviceQueue on;
    auto const array = create_array<int, 2>(MemoryStore<HostBuffer>{}, "a", {.shape = {5, 7}, .chunk_shape = {2, 3}},
                                            Compressed{}, on);
    array.write(all, on_device<int, 2>(test::numbers_from(0, 35), {5, 7}, on), on).wait();
    Points const points{std::vector{4, 0, 4}, std::vector{6, 1, 6}};
    auto const there = array.read(points);
    static_assert(std::same_as<decltype(there), OwnedArray<int, 1, DeviceBuffer> const>);
    CHECK(on_host(there, on) == Ints{34, 1, 34});
    auto const pinned = array.read<PinnedBuffer>(Orthogonal{std::vector{3, 0}, Slice{1, 7, 3}}, on, {.mini_batch = 1});
    CHECK(std::ranges::equal(pinned.elements(), Ints{22, 25, 1, 4}));

    array.write(points, on_device<int, 1>({-1, -2, -3}, {3}, on), on).wait();
    std::vector<std::uint8_t> mask(35);
    mask[2] = mask[3] = mask[33] = 1;
    array.fill(Mask{mask}, 99, on).wait();
    array.fill({2, all}, 98, on).wait();
    auto blocks = on_device<int, 2>(Ints(14), {7, 2}, on);  // the transposed of what is read
    ArrayView<int, 2, space::Device> const transposed{blocks.data(), {2, 7}, {1, 2}};
    array.read(Blocks{1, all}, transposed, on).wait();
    CHECK(on_host(blocks, on) == Ints{98, 21, 98, 22, 98, 23, 98, 24, 98, 25, 98, 26, 98, 27});
    CHECK(on_host(array.read(Blocks{2, {1, 3}}), on) == Ints{31, 32, 99, -3});
    CHECK(on_host(array.read(Box{0, {1, 4}}), on) == Ints{-2, 99, 99});
  });
}

TEST_CASE("more parts of one chunk than one kernel places") {
  DeviceQueue on;
  auto const array = create_array<std::uint16_t, 2>(MemoryStore<HostBuffer>{}, "a",
                                                    {.shape = {70, 70}, .chunk_shape = {70, 70}}, Compressed{}, on);
  std::vector<std::uint8_t> checkers(4900);
  std::vector<std::uint16_t> given;
  for (std::size_t i = 0; i < 4900; ++i)
    if ((checkers[i] = (i / 70 + i) % 2) != 0) given.push_back(static_cast<std::uint16_t>(i));
  array.write(Mask{checkers}, on_device<std::uint16_t, 1>(given, {given.size()}, on), on).wait();
  CHECK(on_host(array.read(Mask{checkers}), on) == given);
  auto const whole = on_host(array.read(all), on);
  for (std::size_t i = 0; i < 4900; ++i) CHECK(whole[i] == (checkers[i] ? i : 0));
}
