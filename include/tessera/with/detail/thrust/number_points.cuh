// Kernels that number the chunk of each point and its place there, and list the runs of equal numbers once these are
// sorted.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/place/detail/point_table.hpp>
#include <tessera/plan/detail/chunk_edges.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// One dimension of the grid of chunks, for ChunkNumbers.
struct NumberedAxis {
  std::uint64_t length;  ///< of the array, in elements
  std::uint64_t chunks, group, behind;
  std::uint64_t stride;             ///< of the longest chunk's elements in C order
  std::uint32_t first_part, parts;  ///< neighbouring chunks of one length

  /// The part of an element of the array. `all`: the parts of every axis.
  TESSERA_HOST_DEVICE AxisPart const& part_of(std::uint64_t element, AxisPart const* all) const {
    auto first = first_part, count = parts;
    while (count > 1) {
      auto const half = count / 2;
      if (all[first + half].first <= element) {
        first += half;
        count -= half;
      } else {
        count = half;
      }
    }
    return all[first];
  }
};

/// The grid of chunks, in device memory.
struct NumberedAxes {
  NumberedAxis const* axes;
  AxisPart const* parts;
  std::uint32_t rank;
};

/// The number of a point that is not in the array: more than any chunk's.
template <class N>
inline constexpr N outside_the_array = std::numeric_limits<N>::max();

/// Throws: SelectionError, if kernels cannot count the points.
inline void expect_counted_in_32_bits(std::uint64_t points) {
  if (points > std::numeric_limits<std::uint32_t>::max())
    throw SelectionError{to_text({"found ", points, " points in device memory, expected at most 2^32 - 1"})};
}

/// The points in their order.
struct CountPoints {
  std::uint32_t* order;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { order[i] = static_cast<std::uint32_t>(i); }
};

/// The place of each point in its chunk, in C order; of one outside the array any number.
struct PlaceInChunks {
  PointCoordinates coordinates;
  NumberedAxes grid;
  std::uint32_t const* order;
  std::uint64_t* places;

  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    std::uint64_t place = 0;
    for (std::uint32_t d = 0; d < grid.rank; ++d) {
      auto const index = static_cast<std::uint64_t>(coordinates.at(order[i], d));
      auto const& axis = grid.axes[d];
      if (index >= axis.length) {
        place = 0;
        break;
      }
      auto const& part = axis.part_of(index, grid.parts);
      place += (index - part.first) % part.chunk * axis.stride;
    }
    places[i] = place;
  }
};

/// As ChunkNumbers::number, of the chunk of each point.
template <class N>
struct NumberPoints {
  PointCoordinates coordinates;
  NumberedAxes grid;
  std::uint32_t const* order;
  N* numbers;

  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { numbers[i] = number(order[i]); }

 private:
  TESSERA_HOST_DEVICE N number(std::uint64_t point) const {
    std::uint64_t before = 0, within = 0, in_group = 1;
    for (std::uint32_t d = 0; d < grid.rank; ++d) {
      auto const index = static_cast<std::uint64_t>(coordinates.at(point, d));  // a negative one becomes a large one
      auto const& axis = grid.axes[d];
      if (index >= axis.length) return static_cast<N>(~std::uint64_t{0});  // outside_the_array
      auto const& part = axis.part_of(index, grid.parts);
      auto const chunk = part.first_chunk + (index - part.first) / part.chunk, begin = chunk / axis.group * axis.group;
      auto const left = axis.chunks - begin, length = axis.group < left ? axis.group : left;
      before += begin * in_group * axis.behind;
      within = within * length + (chunk - begin);
      in_group *= length;
    }
    return static_cast<N>(before + within);
  }
};

/// Of sorted points: 1 for the last of each place and for those outside the array, and 0 for the others.
template <class N>
struct MarkLast {
  PointCoordinates coordinates;
  std::uint32_t rank;
  N const* numbers;
  std::uint32_t const* order;
  std::uint64_t count;
  std::uint32_t* marks;

  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    bool is_last = i + 1 == count || numbers[i] != numbers[i + 1] || numbers[i] == static_cast<N>(~std::uint64_t{0});
    for (std::uint32_t d = 0; d < rank && !is_last; ++d)
      is_last = coordinates.at(order[i], d) != coordinates.at(order[i + 1], d);
    marks[i] = is_last ? 1 : 0;
  }
};

/// `sums`: of the marks, up to each. Copies the marked points.
template <class N>
struct TakeMarked {
  N const* numbers;
  std::uint32_t const *order, *sums;
  N* numbers_to;
  std::uint32_t* order_to;

  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    if (sums[i] == (i == 0 ? 0 : sums[i - 1])) return;
    numbers_to[sums[i] - 1] = numbers[i];
    order_to[sums[i] - 1] = order[i];
  }
};

/// Points with one number: `first` and later ones of the sorted list.
struct NumberedRun {
  std::uint64_t number, first;
};

/// 1 for the first point of each run, and 0 for the others.
template <class N>
struct MarkRuns {
  N const* numbers;
  std::uint32_t* marks;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    marks[i] = i == 0 || numbers[i] != numbers[i - 1] ? 1 : 0;
  }
};

/// `sums`: of the marks, up to each. runs[0].number becomes the number of runs, which follow it.
template <class N>
struct ListRuns {
  N const* numbers;
  std::uint32_t const* sums;
  std::uint64_t count;
  NumberedRun* runs;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    if (i == 0 || numbers[i] != numbers[i - 1]) runs[sums[i]] = {numbers[i], i};
    if (i + 1 == count) runs[0] = {sums[i], 0};
  }
};

}}}  // namespace tessera::v0::detail
