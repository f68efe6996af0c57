// Box geometry: the rest of a shape beside a box, and chunks at an array's end.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Calls f(first, count) for boxes that together cover `shape` except one box.
template <class F>
void for_each_beside(Extents const& first, Extents const& count, Extents const& shape, F&& f) {
  auto at = Extents::filled(shape.rank(), 0), size = shape;  // within the box in the dimensions before d
  for (std::size_t d = 0; d < shape.rank(); at[d] = first[d], size[d] = count[d], ++d) {
    auto const end = first[d] + count[d];
    size[d] = first[d];
    if (size[d] > 0) f(at, size);
    at[d] = end;
    size[d] = shape[d] - end;
    if (size[d] > 0) f(at, size);
  }
}

/// The number of a chunk's elements inside the array.
inline std::uint64_t elements_of_chunk(Extents const& chunk_shape, Extents const& shape, Extents const& chunk) {
  std::uint64_t elements = 1;
  for (std::size_t d = 0; d < shape.rank(); ++d)
    elements *= std::min(chunk_shape[d], shape[d] - chunk[d] * chunk_shape[d]);
  return elements;
}

}  // namespace detail
}}  // namespace tessera::v0
