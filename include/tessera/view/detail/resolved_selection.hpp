// ResolvedSelection: any kind of selection, resolved for an array: the input of a plan.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/view/detail/mask_bits.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

/// Throws: SelectionError, if an index of a selection is negative.
template <std::integral N>
constexpr std::uint64_t natural(N n, std::string_view where) {
  if (std::cmp_less(n, 0)) throw SelectionError{to_text({"found ", n, " in ", where, ", expected 0 or more"})};
  return static_cast<std::uint64_t>(n);
}

/// Throws: SelectionError, if a selection has another number of dimensions than the array.
TESSERA_DECL void expect_rank(std::string_view what, std::size_t found, Extents const& shape);

}  // namespace detail

/// In one dimension: `count` indices from `first` on, `step` apart.
struct Steps {
  std::uint64_t first, count, step;
};

/// A resolved box: count[d] indices from first[d] on, step[d] apart.
struct Region {
  Extents first, count, step;

  /// Adds a dimension behind the others.
  void push_back(Steps const& next);
};

/// Runs of adjacent elements along the last dimension, contiguous in memory. No element of a run longer than 1 is in
/// another run.
struct PointRuns {
  std::vector<std::uint64_t> first;  ///< first element of each run: one number per dimension of the array
  std::vector<std::uint64_t> count;  ///< elements of each run
};

/// Single elements, in any order and with repeats; memory has the order of the list.
struct PointList {
  std::span<std::uint64_t const> places;  ///< for each point, one number per dimension of the array
  std::shared_ptr<void const> owner;      ///< of `places`
  std::uint64_t count;                    ///< points
};

/// The `indices` of one dimension, in memory order.
struct IndexList {
  std::size_t dimension;
  std::vector<std::uint64_t> indices;
};

/// The selected elements of an array and their arrangement in memory: by the dimensions of the array, or as a list of
/// points.
struct ResolvedSelection {
  /// Like PointRuns; without counts if every run has one element.
  struct Runs {
    std::span<std::uint64_t const> first, count;
    std::shared_ptr<void const> owner;
  };

  Extents shape;                   ///< of the memory
  Region region{};                 ///< for each dimension without a list
  std::vector<IndexList> lists{};  ///< at most one per dimension
  bool is_points = false, is_mask = false;  ///< whether it lists points, or is a mask; at most one of them
  Runs points{};    ///< used instead, if is_points
  MaskBits mask{};  ///< used instead, if is_mask; for both the memory has one dimension

  ResolvedSelection(Region const& box) : shape{box.count}, region{box} {}
  ResolvedSelection(PointRuns given);
  ResolvedSelection(PointList list)
      : shape{list.count}, is_points{true}, points{list.places, {}, std::move(list.owner)} {}
  ResolvedSelection(MaskBits bits) : shape{bits.count()}, is_mask{true}, mask{std::move(bits)} {}

  /// The list of a dimension, or null.
  std::vector<std::uint64_t> const* list(std::size_t d) const;

  /// Throws: SelectionError naming the dimension, if an element lies outside an array of this shape.
  void expect_inside(Extents const& array) const;

 private:
  void expect_points_inside(Extents const& array) const;
  void expect_length(std::size_t d, std::uint64_t indices) const;
  static void expect_below(std::size_t d, std::uint64_t index, std::uint64_t length);
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/view/detail/resolved_selection.ipp>
#endif
