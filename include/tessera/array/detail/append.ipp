#pragma once
#include <tessera/array/detail/append.hpp>

#include <cstddef>
#include <limits>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void expect_axis(std::size_t axis, std::size_t rank) {
  if (axis >= rank) throw SelectionError{to_text({"found append dimension ", axis, ", expected one below ", rank})};
}

TESSERA_DECL Extents appended(Extents shape, std::size_t axis, Extents const& block, Strides const& strides) {
  auto const rank = shape.rank();
  expect_axis(axis, rank);
  if (block.rank() != rank || strides.rank() != rank)
    throw SelectionError{to_text({"found a block of ", block.rank(), " dimensions, expected ", rank})};
  for (std::size_t d = 0; d < rank; ++d)
    if (d != axis && block[d] != shape[d])
      throw SelectionError{to_text({"dimension ", d, ": found a block of ", block[d], ", expected ", shape[d]})};
  if (block[axis] > std::numeric_limits<std::uint64_t>::max() - shape[axis])
    throw SelectionError{
        to_text({"dimension ", axis, ": found a block of ", block[axis], ", with which the length exceeds 64 bits"})};
  shape[axis] += block[axis];
  return shape;
}

}}}  // namespace tessera::v0::detail
