// Boxes of one shape, drawn at random: each with its own steps and places.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <support/random.hpp>
#include <tessera/view/box.hpp>

namespace test {

/// `count` boxes of an array of that shape; some are equal. In some, a dimension has no element.
inline std::vector<tessera::Box> random_boxes(Random& random, tessera::Extents const& shape, std::size_t count) {
  auto lengths = shape;
  bool const has_steps = random.one_in(2), is_small = random.one_in(2);
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    auto const most = is_small ? std::max<std::uint64_t>(shape[d] / 3, 1) : shape[d];
    lengths[d] = random.one_in(20) ? 0 : random(1, most);
  }
  std::vector<tessera::Box> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && random.one_in(6)) {
      boxes.push_back(boxes[random(0, i - 1)]);
      continue;
    }
    std::vector<tessera::Slice> slices;
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      auto const n = shape[d], length = lengths[d];
      auto const most = length > 1 ? (n - 1) / (length - 1) : n + 2;
      auto const step = has_steps ? random(1, most) : 1;
      auto const reach = length == 0 ? 0 : (length - 1) * step + 1, first = random(0, n - reach);
      slices.push_back({first, first + reach, step});
    }
    boxes.emplace_back(std::move(slices));
  }
  return boxes;
}

}  // namespace test
