#pragma once
#include <tessera/view/points.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL Points::Points(std::vector<Extents> const& places)
    : Points{places.empty() ? any_rank : places[0].rank(), places.size()} {
  auto* next = places_.get();
  for (auto const& place : places) {
    detail::expect_rank("coordinates", place.rank(), places[0]);
    next = std::copy(place.begin(), place.end(), next);
  }
}

TESSERA_DECL PointList Points::resolve(Extents const& shape) const {
  if (rank_ != any_rank) detail::expect_rank("coordinates", rank_, shape);
  PointList list{{places_.get(), numbers_}, places_, count_};
  ResolvedSelection{list}.expect_inside(shape);
  return list;
}

TESSERA_DECL Points::Points(std::size_t rank, std::size_t count)
    : count_{count},
      rank_{rank},
      numbers_{count == 0 ? 0 : checked_size(checked_product(count, rank, "a list of coordinates"), "a list")},
      places_{std::make_shared_for_overwrite<std::uint64_t[]>(numbers_)} {}

TESSERA_DECL void Points::expect_length(std::size_t d, std::size_t length) const {
  if (length != count_)
    throw SelectionError{
        to_text({"dimension ", d, ": found ", length, " coordinates, expected ", count_, " as in the others"})};
}

}}  // namespace tessera::v0
