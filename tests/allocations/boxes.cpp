// After the first batches, reading boxes allocates nothing, however many chunks and boxes there are.
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <support/allocations.hpp>
#include <support/brain.hpp>
#include <tessera/array/read_boxes.hpp>

namespace boxes_tests {

using namespace tessera;

TEST_CASE("boxes in one call on a warmed inline queue: nothing is allocated") {
  (void)test::all_allocations_are_seen();
  std::vector<Box> boxes;
  for (std::uint64_t i = 0; i < 40; ++i) {
    auto const x = i * 31 % 147, y = i * 47 % 183, z = i * 61 % 139;
    boxes.push_back({{x, x + 50}, {y, y + 50}, {z, z + 50}});
  }
  std::vector<std::uint8_t> memory(boxes.size() * 50 * 50 * 50);
  std::vector<ArrayView<std::uint8_t, 3>> views;
  std::vector<Orientation> turned;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    views.push_back(ArrayView<std::uint8_t, 3>::c_order(memory.data() + i * 50 * 50 * 50, {50, 50, 50}));
    turned.push_back({.flip = {i % 3}, .axes = {2, 0, 1}});
  }
  using P = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  auto const array = open_array<std::uint8_t, 3, P>(test::brain_store(), "t1", test::HostQueue{});
  for (std::size_t const batch : {0u, 1u, 5u}) {
    CAPTURE(batch);
    auto const check = [&](auto const& read) {
      // Buffers for values take turns: each must have had the longest one.
      for (int i = 0; i < 5; ++i) read();
      test::Allocations counted;
      read();
      counted.stop();
      CHECK(counted.news() == 0);
      CHECK(counted.blocks() == 0);
    };
    check([&] { read_boxes(array, boxes, memory, {.mini_batch = batch}); });
    check([&] { read_boxes(array, {boxes, turned}, memory, {.mini_batch = batch}); });
    check([&] { read_boxes(array, {boxes, turned}, views, {.mini_batch = batch}); });
  }
}

TEST_CASE("boxes with padding on a warmed inline queue: nothing is allocated") {
  (void)test::all_allocations_are_seen();
  using P = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  auto const array = open_array<std::uint8_t, 3, P>(test::brain_store(), "t1", test::HostQueue{});
  for (auto const mode : {PaddingMode::constant, PaddingMode::edge, PaddingMode::reflect}) {
    CAPTURE(static_cast<int>(mode));
    Padding const padding{.before = {40, 40, 40}, .after = {40, 40, 40}, .mode = mode, .value = 3};
    auto const padded = padding.padded(array.shape());
    std::vector<Box> boxes;
    for (std::uint64_t i = 0; i < 40; ++i) {
      auto const x = i * 31 % (padded[0] - 50), y = i * 47 % (padded[1] - 50), z = i * 61 % (padded[2] - 50);
      boxes.push_back({{x, x + 50}, {y, y + 50}, {z, z + 50}});
    }
    std::vector<std::uint8_t> memory(boxes.size() * 50 * 50 * 50);
    for (int i = 0; i < 5; ++i) read_boxes(array, boxes, memory, padding);
    test::Allocations counted;
    read_boxes(array, boxes, memory, padding);
    counted.stop();
    CHECK(counted.news() == 0);
    CHECK(counted.blocks() == 0);
  }
}

TEST_CASE("converted boxes on a warmed inline queue: nothing is allocated, whether or not numbers are refused") {
  (void)test::all_allocations_are_seen();
  using P = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  auto const array = open_array<std::uint8_t, 3, P>(test::brain_store(), "t1", test::HostQueue{});
  Padding const padding{.before = {40, 40, 40}, .after = {40, 40, 40}, .value = 3};
  std::vector<Box> boxes;
  for (std::uint64_t i = 0; i < 40; ++i) {
    auto const x = i * 31 % 147, y = i * 47 % 183, z = i * 61 % 139;
    boxes.push_back({{x, x + 50}, {y, y + 50}, {z, z + 50}});
  }
  auto const check = [&](auto& memory, Conversion const& conversion) {
    for (int i = 0; i < 5; ++i) read_boxes_as(array, boxes, memory, conversion, padding);
    test::Allocations counted;
    read_boxes_as(array, boxes, memory, conversion, padding);
    counted.stop();
    CHECK(counted.news() == 0);
    CHECK(counted.blocks() == 0);
  };
  std::vector<float> floats(boxes.size() * 50 * 50 * 50);
  check(floats, {.scale = 0.5});
  std::vector<std::int8_t> small(floats.size());
  check(small, {.scale = 0.25, .offset = 64});  // fits always
  check(small, {.scale = 0.5, .offset = 0.6});  // fits, if no number is above 253
}

}  // namespace boxes_tests
