// StridedSpan and StridedView: the address of elements in memory, and their distance.
#pragma once
#include <cstddef>

#include <tessera/core/dimensions.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

template <MemorySpace S>
struct AnyPlacer;

}  // namespace detail

/// Destination elements: `data`, the address of the first, and `strides`, their distances in bytes.
template <MemorySpace Space>
struct StridedSpan {
  std::byte* data;
  Strides strides;
  detail::AnyPlacer<Space> const* placer = nullptr;  ///< what makes the elements; null: they are copied
  std::size_t item_size = 0;                         ///< of an element that the placer makes
};

/// Source elements: `data`, the address of the first, and `strides`, their distances in bytes.
template <MemorySpace Space>
struct StridedView {
  std::byte const* data;
  Strides strides;
  detail::AnyPlacer<Space> const* placer = nullptr;  ///< what takes the elements; null: they are copied
};

}}  // namespace tessera::v0
