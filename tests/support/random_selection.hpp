// Selections of every kind, and the elements of each, found one by one.
#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <support/random.hpp>
#include <support/reference.hpp>
#include <support/written_array.hpp>
#include <tessera/array/detail/selection.hpp>

namespace test {

struct RandomSelection {
  std::string kind;
  tessera::ResolvedSelection selected;
  std::vector<Extents> places{};  ///< of the elements, in the memory's C order
};

namespace detail {

using Lists = std::vector<std::vector<std::uint64_t>>;

inline std::vector<Extents> places_of(Lists const& lists) {
  Extents shape;
  for (auto const& list : lists) shape.push_back(list.size());
  std::vector<Extents> places;
  for_each_index(shape, [&](Extents const& index) {
    auto place = index;
    for (std::size_t d = 0; d < shape.rank(); ++d) place[d] = lists[d][index[d]];
    places.push_back(place);
  });
  return places;
}

inline std::vector<std::uint64_t> indices_of(tessera::Slice const& slice) {
  std::vector<std::uint64_t> indices;
  for (auto i = slice.first; i < slice.stop; i += slice.step) indices.push_back(i);
  return indices;
}

inline RandomSelection random_box(Random& random, Extents const& shape) {
  auto const slices = random_slices(random, shape);
  RandomSelection result{"box", tessera::Box{slices}.resolve(shape)};
  Lists lists;
  for (auto const& slice : slices) lists.push_back(indices_of(slice));
  result.places = places_of(lists);
  return result;
}

// Runs of neighbours, repeats and jumps.
inline std::vector<std::uint64_t> random_list(Random& random, std::uint64_t length) {
  std::vector<std::uint64_t> list;
  if (length == 0) return list;
  auto index = random(0, length - 1);
  for (auto n = random(0, 2 * length); n > 0; --n) {
    list.push_back(index);
    index = random.one_in(3) ? random(0, length - 1) : (index + random(0, 3) / 2) % length;
  }
  if (random.one_in(4)) std::sort(list.begin(), list.end());
  return list;
}

inline RandomSelection random_orthogonal(Random& random, Extents const& shape) {
  Lists lists;
  std::vector<tessera::Indices> indices;
  auto const slices = random_slices(random, shape);
  for (std::size_t d = 0; d < shape.rank(); ++d)
    if (random.one_in(3)) {
      indices.emplace_back(slices[d]);
      lists.push_back(indices_of(slices[d]));
    } else {
      lists.push_back(random_list(random, shape[d]));
      indices.emplace_back(lists.back());
    }
  return {"orthogonal", tessera::Orthogonal{std::move(indices)}.resolve(shape), places_of(lists)};
}

inline RandomSelection random_points(Random& random, Extents const& shape) {
  std::vector<Extents> places;
  Extents place;
  auto const count = size_of(shape) == 0 ? 0 : random(0, 40);
  for (auto n : shape) place.push_back(count == 0 ? 0 : random(0, n - 1));
  for (auto n = count; n > 0; --n) {
    places.push_back(place);
    for (std::size_t d = 0; d < shape.rank(); ++d)
      if (random.one_in(5)) place[d] = random(0, shape[d] - 1);
    if (auto const last = shape.rank() - 1; shape.rank() > 0 && place[last] + 1 < shape[last])
      place[last] += random(0, 1);
  }
  return {"points", tessera::Points{places}.resolve(shape), places};
}

inline RandomSelection random_mask(Random& random, Extents const& shape) {
  auto const size = size_of(shape);
  auto const mask = std::make_unique<bool[]>(size);
  auto const dense = random(1, 5);
  for (std::size_t i = 0; i < size; ++i) mask[i] = random.one_in(2) ? i > 0 && mask[i - 1] : random.one_in(dense);
  RandomSelection result{"mask", tessera::Mask{std::span{mask.get(), size}}.resolve(shape)};
  for_each_index(shape, [&](Extents const& index) {
    if (mask[c_index(shape, index)]) result.places.push_back(index);
  });
  return result;
}

inline RandomSelection random_blocks(Random& random, Extents const& shape, Extents const& chunk_shape) {
  auto grid = shape;
  for (std::size_t d = 0; d < grid.rank(); ++d) grid[d] = (shape[d] + chunk_shape[d] - 1) / chunk_shape[d];
  auto const slices = random_slices(random, grid);
  Lists lists;
  for (std::size_t d = 0; d < grid.rank(); ++d) {
    auto& list = lists.emplace_back();
    for (auto chunk : indices_of(slices[d]))
      for (std::uint64_t i = 0; i < chunk_shape[d]; ++i)
        if (chunk * chunk_shape[d] + i < shape[d]) list.push_back(chunk * chunk_shape[d] + i);
  }
  return {"blocks", tessera::Blocks{slices}.resolve(shape, chunk_shape), places_of(lists)};
}

}  // namespace detail

inline RandomSelection random_selection(Random& random, Extents const& shape, Extents const& chunk_shape) {
  switch (random(0, 4)) {
    case 0:
      return detail::random_box(random, shape);
    case 1:
      return detail::random_orthogonal(random, shape);
    case 2:
      return detail::random_points(random, shape);
    case 3:
      return detail::random_mask(random, shape);
    default:
      return detail::random_blocks(random, shape, chunk_shape);
  }
}

/// The places of elements of some shape in memory of `size` bytes.
struct StridedMemory {
  std::size_t first = 0, size = 0;  ///< bytes
  Strides strides{};
};

/// Along any order of axes, forwards and backwards, with gaps between elements. `repeats`: some share a place.
inline StridedMemory random_memory(Random& random, Extents const& count, std::size_t item, bool repeats) {
  auto const step = static_cast<std::int64_t>(item);
  auto stride = step, first = step * static_cast<std::int64_t>(random(0, 3));
  StridedMemory result{0, 0, Strides::filled(count.rank(), 0)};
  for (auto d : random.permutation(count.rank())) {
    if (repeats && random.one_in(6)) continue;  // one element, again and again
    if (random.one_in(3)) stride += step * static_cast<std::int64_t>(random(1, 2));
    result.strides[d] = stride;
    auto const n = static_cast<std::int64_t>(std::max<std::uint64_t>(count[d], 1));
    if (random.one_in(3)) first += stride * (n - 1), result.strides[d] = -stride;
    stride *= n;
  }
  result.first = static_cast<std::size_t>(first);
  result.size = static_cast<std::size_t>(first + stride + step);
  return result;
}

/// Calls f(at, in) for each selected element, in the memory's C order: its place among the array's elements, and in the
/// memory, in bytes.
template <class F>
void for_each_selected(RandomSelection const& selection, Extents const& shape, std::size_t item,
                       StridedMemory const& memory, F&& f) {
  std::size_t i = 0;
  for_each_index(selection.selected.shape, [&](Extents const& index) {
    f(c_index(shape, selection.places[i++]) * item,
      static_cast<std::size_t>(static_cast<std::int64_t>(memory.first) + offset(memory.strides, index)));
  });
}

}  // namespace test
