// Boxes of one shape, drawn at random: each with its own steps and places, and with an orientation or without.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <support/random.hpp>
#include <support/reference.hpp>
#include <tessera/array/read_boxes.hpp>
#include <tessera/view/box.hpp>

namespace test {

/// A box of `lengths` elements.
inline tessera::Box random_box(Random& random, tessera::Extents const& shape, tessera::Extents const& lengths,
                               bool has_steps) {
  std::vector<tessera::Slice> slices;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    auto const n = shape[d], length = lengths[d];
    auto const most = length > 1 ? (n - 1) / (length - 1) : n + 2;
    auto const step = has_steps ? random(1, most) : 1;
    auto const reach = length == 0 ? 0 : (length - 1) * step + 1, first = random(0, n - reach);
    slices.push_back({first, first + reach, step});
  }
  return tessera::Box{std::move(slices)};
}

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
    boxes.push_back(random_box(random, shape, lengths, has_steps));
  }
  return boxes;
}

/// Boxes with orientations, of one shape in memory, or boxes without.
struct OrientedBoxes {
  std::vector<tessera::Box> boxes{};
  std::vector<tessera::Orientation> orientations{};  // empty, or one for each

  tessera::BoxList list() const { return {boxes, orientations}; }
  std::size_t size() const { return boxes.size(); }
  tessera::Orientation orientation(std::size_t i) const {
    return orientations.empty() ? tessera::Orientation{} : orientations[i];
  }
  OrientedBoxes some(std::size_t first, std::size_t count) const {
    OrientedBoxes result;
    for (auto i = first; i < first + count; ++i) {
      result.boxes.push_back(boxes[i]);
      result.orientations.push_back(orientation(i));
    }
    return result;
  }
  /// The shape in memory of a box of an array of that shape.
  Extents shape(std::size_t i, Extents const& array) const {
    auto const count = boxes[i].resolve(array).count;
    auto result = count;
    auto const axes = orientation(i).axes;
    for (std::size_t d = 0; d < axes.rank(); ++d) result[d] = count[axes[d]];
    return result;
  }
  Extents shape_of_all(Extents const& array) const {
    Extents all{size()};
    for (auto const n : shape(0, array)) all.push_back(n);
    return all;
  }
  /// The elements of all boxes, which are given box after box in the array's order, as they are in memory.
  template <class T>
  std::vector<T> turned(std::vector<T> const& elements, Extents const& array) const {
    std::vector<T> result;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      auto const count = boxes[i].resolve(array).count;
      auto const turn = orientation(i);
      auto const &flip = turn.flip, &axes = turn.axes;  // clang++ 14 captures no structured bindings
      auto const first = result.size();
      for_each_index(shape(i, array), [&](Extents const& index) {
        auto source = index;
        for (std::size_t d = 0; d < axes.rank(); ++d) source[axes[d]] = index[d];
        for (auto const d : flip) source[d] = count[d] - 1 - source[d];
        result.push_back(elements[first + c_index(count, source)]);
      });
    }
    return result;
  }
  /// As a sampler.
  auto sampler() const {
    return [all = *this, i = std::size_t{0}]() mutable -> std::optional<tessera::OrientedBox> {
      if (i == all.size()) return std::nullopt;
      ++i;
      return tessera::OrientedBox{all.boxes[i - 1], all.orientation(i - 1)};
    };
  }
};

/// `count` boxes of an array of that shape: in half of the calls some are turned.
inline OrientedBoxes random_oriented_boxes(Random& random, Extents const& shape, std::size_t count) {
  OrientedBoxes result{random_boxes(random, shape, count)};
  if (count == 0 || random.one_in(2)) return result;
  auto const rank = shape.rank();
  auto const in_memory = result.boxes[0].resolve(shape).count;
  bool const has_steps = random.one_in(2);
  for (auto& box : result.boxes) {
    tessera::Orientation drawn;
    for (auto const d : random.permutation(rank))
      if (random.one_in(2)) drawn.flip.push_back(d);
    auto const axes = random.permutation(random(0, rank));
    auto lengths = in_memory;
    for (std::size_t d = 0; d < axes.rank(); ++d) lengths[axes[d]] = in_memory[d];
    bool fits = true;
    for (std::size_t d = 0; d < rank; ++d) fits = fits && lengths[d] <= shape[d];
    if (fits && axes.rank() > 0) {
      drawn.axes = axes;
      box = random_box(random, shape, lengths, has_steps);
    }
    result.orientations.push_back(drawn);
  }
  return result;
}

/// The same, of several shapes.
inline OrientedBoxes random_boxes_of_any_shape(Random& random, Extents const& shape, std::size_t count) {
  OrientedBoxes result;
  while (result.size() < count) {
    auto const one = random_oriented_boxes(random, shape, 1);
    result.boxes.push_back(one.boxes[0]);
    result.orientations.push_back(one.orientation(0));
  }
  return result;
}

}  // namespace test
