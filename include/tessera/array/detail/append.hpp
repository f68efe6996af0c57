// appended and block_of: the shapes of an array and of a block appended to it.
#pragma once
#include <cstddef>

#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

TESSERA_DECL void expect_axis(std::size_t axis, std::size_t rank);

/// The shape of the array with the block appended. Throws: SelectionError.
TESSERA_DECL Extents appended(Extents shape, std::size_t axis, Extents const& block, Strides const& strides);

/// The shape of the caller's memory; without one, the whole indices of the axis that its elements fill. Throws:
/// SelectionError.
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
      throw SelectionError{to_text({"the memory holds ", found, " elements, expected a multiple of ", each})};
    shape[axis] = each == 0 ? 0 : found / each;
    return shape;
  }
}

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/array/detail/append.ipp>
#endif
