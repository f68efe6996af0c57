// Boxes of a padded array, one element at a time, as numpy.pad defines them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include <support/random.hpp>
#include <support/random_boxes.hpp>
#include <support/reference.hpp>
#include <tessera/array/read_boxes.hpp>
#include <tessera/view/box.hpp>

namespace test {

using tessera::Padding, tessera::PaddingMode;

/// Short padding, or one that is longer than the array; of some dimensions none.
inline Padding random_padding(Random& random, Extents const& shape) {
  Padding padding{.mode = PaddingMode(random(0, 2))};
  bool const is_long = random.one_in(3);
  for (auto* side : {&padding.before, &padding.after})
    if (!random.one_in(6))
      for (auto const n : shape) side->push_back(random.one_in(4) ? 0 : random(0, is_long ? 3 * n + 3 : n / 2 + 1));
  return padding;
}

/// The element of the array that is at index `at` of the padded array, along one dimension of n elements.
inline std::optional<std::uint64_t> source_of(std::uint64_t at, std::uint64_t before, std::uint64_t n,
                                              PaddingMode mode) {
  auto i = static_cast<std::int64_t>(at) - static_cast<std::int64_t>(before);
  auto const last = static_cast<std::int64_t>(n) - 1;
  if (mode == PaddingMode::constant && (i < 0 || i > last)) return std::nullopt;
  if (mode == PaddingMode::edge || n == 1) i = i < 0 ? 0 : i > last ? last : i;
  while (i < 0 || i > last) i = i < 0 ? -i : 2 * last - i;
  return static_cast<std::uint64_t>(i);
}

/// What boxes of a padded array have.
template <class T>
struct PaddedBoxes {
  std::vector<T> elements{};       ///< box after box, in C order
  std::set<std::size_t> chunks{};  ///< that they need, numbered in C order

  /// `array`: its elements in C order. `value`: what constant padding has.
  PaddedBoxes(std::vector<T> const& array, Extents const& shape, Extents const& chunk_shape, Padding const& padding,
              T const& value, std::vector<tessera::Box> const& boxes) {
    auto grid = shape;
    for (std::size_t d = 0; d < shape.rank(); ++d) grid[d] = (shape[d] + chunk_shape[d] - 1) / chunk_shape[d];
    for (auto const& box : boxes) {
      auto const region = box.resolve(padding.padded(shape));
      for_each_index(region.count, [&](Extents const& index) {
        Extents source, chunk;
        for (std::size_t d = 0; d < shape.rank(); ++d) {
          auto const before = padding.before.rank() == 0 ? 0 : padding.before[d];
          auto const at = source_of(region.first[d] + index[d] * region.step[d], before, shape[d], padding.mode);
          if (!at) return elements.push_back(value);
          source.push_back(*at);
          chunk.push_back(*at / chunk_shape[d]);
        }
        elements.push_back(array[c_index(shape, source)]);
        chunks.insert(c_index(grid, chunk));
      });
    }
  }
};

}  // namespace test
