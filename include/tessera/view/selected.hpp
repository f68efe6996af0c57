// What a selection means for an array, whatever kind it is of: what a plan is made from.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/view/mask_bits.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

/// Throws: SelectionError, if an index of a selection is negative.
template <std::integral N>
constexpr std::uint64_t natural(N n, std::string_view where) {
  if (std::cmp_less(n, 0)) throw SelectionError{text({"found ", n, " in ", where, "; its numbers count from 0 on"})};
  return static_cast<std::uint64_t>(n);
}

/// Throws: SelectionError, if a selection is made for another number of dimensions.
inline void expect_rank(std::string_view what, std::size_t found, Extents const& shape) {
  if (found != shape.rank())
    throw SelectionError{text({"a selection of ", found, " ", what, " for an array of ", shape.rank(), " dimensions"})};
}

}  // namespace detail

/// Of one dimension: so many from the first on, so far apart.
struct Steps {
  std::uint64_t first, count, step;
};

/// What a box means: count[d] indices from first[d] on, step[d] apart.
struct Region {
  Extents first, count, step;

  void push_back(Steps const& next) {
    first.push_back(next.first);
    count.push_back(next.count);
    step.push_back(next.step);
  }
};

/// Runs of elements that are neighbours along the last dimension; in memory the runs lie one after the other. No
/// element of a run of several is in another run.
struct PointRuns {
  std::vector<std::uint64_t> first;  ///< the first element of each run: as many numbers as the array has dimensions
  std::vector<std::uint64_t> count;  ///< elements of each run
};

/// Elements one by one, in any order and with repeats; in memory they lie in that of the list.
struct PointList {
  std::span<std::uint64_t const> places;  ///< as many numbers for each as the array has dimensions
  std::shared_ptr<void const> owner;      ///< of these
  std::uint64_t count;                    ///< elements
};

/// Indices of one dimension, in the order of the memory.
struct IndexList {
  std::size_t dimension;
  std::vector<std::uint64_t> indices;
};

/// Elements of an array and how they lie in memory: by the dimensions of the array, or as a list of points.
struct ResolvedSelection {
  /// As PointRuns; without counts, if all are of one element.
  struct Runs {
    std::span<std::uint64_t const> first, count;
    std::shared_ptr<void const> owner;
  };

  Extents shape;                   ///< of the memory
  Region region{};                 ///< of each dimension without a list
  std::vector<IndexList> lists{};  ///< at most one for a dimension
  bool is_points = false, is_mask = false;
  Runs points{};    ///< instead of all that, if it says so
  MaskBits mask{};  ///< so too; the memory has one dimension for both

  ResolvedSelection(Region const& box) : shape{box.count}, region{box} {}
  ResolvedSelection(PointRuns given) : is_points{true} {
    auto const runs = std::make_shared<PointRuns const>(std::move(given));
    points = {runs->first, runs->count, runs};
    std::uint64_t elements = 0;
    for (auto n : points.count) elements += n;
    shape.push_back(elements);
  }
  ResolvedSelection(PointList list)
      : shape{list.count}, is_points{true}, points{list.places, {}, std::move(list.owner)} {}
  ResolvedSelection(MaskBits bits) : shape{bits.count()}, is_mask{true}, mask{std::move(bits)} {}

  /// The list of a dimension, if it has one.
  std::vector<std::uint64_t> const* list(std::size_t d) const {
    for (auto const& list : lists)
      if (list.dimension == d) return &list.indices;
    return nullptr;
  }

  /// Throws: SelectionError naming the dimension, if an element lies outside an array of this shape.
  void expect_inside(Extents const& array) const {
    auto const rank = array.rank();
    if (is_points) return expect_points_inside(array);
    if (is_mask) {
      if (mask.shape() != array)
        throw SelectionError{text({"a mask of the shape ", to_string(mask.shape()), ", expected ", to_string(array)})};
      return;
    }
    if (shape.rank() != rank || region.first.rank() != rank || region.count.rank() != rank ||
        region.step.rank() != rank)
      throw SelectionError{text({"a region of other than the array's ", rank, " dimensions"})};
    for (std::size_t d = 0; d < rank; ++d) {
      if (auto const* const indices = list(d)) {
        expect_length(d, indices->size());
        for (auto index : *indices) expect_below(d, index, array[d]);
        continue;
      }
      auto const first = region.first[d], count = region.count[d], step = region.step[d], n = array[d];
      expect_length(d, count);
      if (count > 0 && (step == 0 || first >= n || (count - 1) > (n - 1 - first) / step))
        throw SelectionError{text({"dimension ", d, ": found ", count, " indices from ", first, " on, ", step,
                                   " apart, expected indices below ", n})};
    }
  }

 private:
  void expect_points_inside(Extents const& array) const {
    auto const rank = array.rank();
    if (shape.rank() != 1) throw SelectionError{text({"points in ", shape.rank(), " dimensions, expected 1"})};
    bool const is_single = points.count.empty();
    auto const runs = is_single ? shape[0] : points.count.size();
    if (points.first.size() != runs * rank)
      throw SelectionError{text({"points of other than the array's ", rank, " dimensions"})};
    for (std::size_t d = 0; d < rank; ++d) {
      std::uint64_t largest = 0;  // a loop without a branch takes a third of the time
      for (auto i = d; i < points.first.size(); i += rank) largest = std::max(largest, points.first[i]);
      if (runs > 0) expect_below(d, largest, array[d]);
    }
    if (is_single) return;
    std::uint64_t elements = 0;
    for (std::size_t i = 0; i < runs; ++i) {
      auto const count = points.count[i];
      if (rank > 0 && count > array[rank - 1] - points.first[(i + 1) * rank - 1])
        expect_below(rank - 1, array[rank - 1], array[rank - 1]);
      elements += count;
    }
    expect_length(0, elements);
  }
  void expect_length(std::size_t d, std::uint64_t indices) const {
    if (indices != shape[d])
      throw SelectionError{text({"dimension ", d, ": found ", indices, " indices, expected ", shape[d]})};
  }
  static void expect_below(std::size_t d, std::uint64_t index, std::uint64_t length) {
    if (index >= length)
      throw SelectionError{text({"dimension ", d, ": found index ", index, ", expected one below ", length})};
  }
};

}}  // namespace tessera::v0
