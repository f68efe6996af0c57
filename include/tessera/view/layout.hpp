// How the elements of a chunk or of an array lie in memory: what views, transpose and byte order come down to.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/dimensions.hpp>

namespace tessera::inline v0 {

struct Layout {
  Extents shape;
  Strides strides;            ///< bytes from one element to the next, per dimension
  std::size_t item_size = 1;  ///< bytes
  std::size_t swapped = 1;    ///< so many bytes together are stored in the other byte order; 1: none

  static Layout c_order(Extents const& shape, std::size_t item_size) {
    Layout layout{shape, Strides::filled(shape.rank(), 0), item_size, 1};
    auto stride = static_cast<std::int64_t>(item_size);
    for (std::size_t d = shape.rank(); d-- > 0;) {
      layout.strides[d] = stride;
      stride *= static_cast<std::int64_t>(shape[d]);
    }
    return layout;
  }

  /// Nothing but one copy lies between the two.
  friend bool operator==(Layout const&, Layout const&) = default;
};

}  // namespace tessera::inline v0
