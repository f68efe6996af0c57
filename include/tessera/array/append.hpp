// What is appended to an array: a block that is as the array is in all dimensions but one.
#pragma once
#include <cstddef>
#include <limits>

#include <tessera/array/caller_memory.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

inline void expect_axis(std::size_t axis, std::size_t rank) {
  if (axis >= rank) throw SelectionError{text({"dimension ", axis, " to append along, expected one below ", rank})};
}

/// The shape of the array with the block appended. Throws: SelectionError.
inline Extents appended(Extents shape, std::size_t axis, Extents const& block, Strides const& strides) {
  auto const rank = shape.rank();
  expect_axis(axis, rank);
  if (block.rank() != rank || strides.rank() != rank)
    throw SelectionError{text({"a block of ", block.rank(), " dimensions, expected ", rank})};
  for (std::size_t d = 0; d < rank; ++d)
    if (d != axis && block[d] != shape[d])
      throw SelectionError{text({"dimension ", d, ": found a block of ", block[d], ", expected ", shape[d]})};
  if (block[axis] > std::numeric_limits<std::uint64_t>::max() - shape[axis])
    throw SelectionError{text({"dimension ", axis, ": found a block of ", block[axis], ", more than can be counted"})};
  shape[axis] += block[axis];
  return shape;
}

/// The shape of the caller's memory as a block: its own, or, where it has none, as many whole indices of the axis as it
/// has elements for. Throws: SelectionError.
template <std::size_t Rank, class M>
Extents block_of(M& memory, Extents shape, std::size_t axis) {
  using Memory = CallerMemory<M>;
  expect_axis(axis, Rank);
  if constexpr (Memory::rank != any_rank) {
    return Memory::template view<Rank>(memory, shape).layout().shape;
  } else {
    auto const found = contiguous_memory<M>::size(memory);
    shape[axis] = 1;
    auto const each = element_count(shape, "the block");
    if (each == 0 ? found != 0 : found % each != 0)
      throw SelectionError{text({"the memory holds ", found, " elements, expected a multiple of ", each})};
    shape[axis] = each == 0 ? 0 : found / each;
    return shape;
  }
}

}  // namespace detail
}}  // namespace tessera::v0
