#pragma once
#include <tessera/view/detail/resolved_selection.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/view/detail/mask_bits.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void expect_rank(std::string_view what, std::size_t found, Extents const& shape) {
  if (found != shape.rank())
    throw SelectionError{to_text({"found ", found, " ", what, " for an array of ", shape.rank(), " dimensions"})};
}

}  // namespace detail

TESSERA_DECL void Region::push_back(Steps const& next) {
  first.push_back(next.first);
  count.push_back(next.count);
  step.push_back(next.step);
}

TESSERA_DECL ResolvedSelection::ResolvedSelection(PointRuns given) : is_points{true} {
  auto const runs = std::make_shared<PointRuns const>(std::move(given));
  points = {runs->first, runs->count, runs};
  std::uint64_t elements = 0;
  for (auto n : points.count) elements += n;
  shape.push_back(elements);
}

TESSERA_DECL std::vector<std::uint64_t> const* ResolvedSelection::list(std::size_t d) const {
  for (auto const& list : lists)
    if (list.dimension == d) return &list.indices;
  return nullptr;
}

TESSERA_DECL void ResolvedSelection::expect_inside(Extents const& array) const {
  auto const rank = array.rank();
  if (is_points) return expect_points_inside(array);
  if (is_mask) {
    if (mask.shape() != array)
      throw SelectionError{
          to_text({"found a mask of shape ", to_string(mask.shape()), ", expected ", to_string(array)})};
    return;
  }
  if (shape.rank() != rank || region.first.rank() != rank || region.count.rank() != rank || region.step.rank() != rank)
    throw SelectionError{to_text({"found a region whose rank differs from the array's ", rank, " dimensions"})};
  for (std::size_t d = 0; d < rank; ++d) {
    if (auto const* const indices = list(d)) {
      expect_length(d, indices->size());
      for (auto index : *indices) expect_below(d, index, array[d]);
      continue;
    }
    auto const first = region.first[d], count = region.count[d], step = region.step[d], n = array[d];
    expect_length(d, count);
    if (count > 0 && (step == 0 || first >= n || (count - 1) > (n - 1 - first) / step))
      throw SelectionError{to_text({"dimension ", d, ": found ", count, " indices from ", first, " on in steps of ",
                                    step, ", expected indices below ", n})};
  }
}

TESSERA_DECL void ResolvedSelection::expect_points_inside(Extents const& array) const {
  auto const rank = array.rank();
  if (shape.rank() != 1) throw SelectionError{to_text({"found points in ", shape.rank(), " dimensions, expected 1"})};
  bool const is_single = points.count.empty();
  auto const runs = is_single ? shape[0] : points.count.size();
  if (points.first.size() != runs * rank)
    throw SelectionError{to_text({"found points whose rank differs from the array's ", rank, " dimensions"})};
  for (std::size_t d = 0; d < rank; ++d) {
    std::uint64_t largest = 0;  // without branches it needs a third of the time
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

TESSERA_DECL void ResolvedSelection::expect_length(std::size_t d, std::uint64_t indices) const {
  if (indices != shape[d])
    throw SelectionError{to_text({"dimension ", d, ": found ", indices, " indices, expected ", shape[d]})};
}

TESSERA_DECL void ResolvedSelection::expect_below(std::size_t d, std::uint64_t index, std::uint64_t length) {
  if (index >= length)
    throw SelectionError{to_text({"dimension ", d, ": found index ", index, ", expected one below ", length})};
}

}}  // namespace tessera::v0
