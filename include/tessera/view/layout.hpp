// How the elements of a chunk or of an array lie in memory: what views, transpose and byte order come down to.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/field.hpp>

namespace tessera { inline namespace v0 {

struct Layout {
  Extents shape;
  Strides strides;            ///< bytes from one element to the next, per dimension
  std::size_t item_size = 1;  ///< bytes
  std::size_t swapped = 1;    ///< so many bytes together are stored in the other byte order; 1: none
  /// Where not all of an element is swapped so: what is. `swapped` is that of the largest components then.
  std::vector<ComponentRun> runs{};

  static Layout c_order(Extents const& shape, std::size_t item_size) {
    Layout layout{shape, Strides::filled(shape.rank(), 0), item_size};
    std::uint64_t stride = item_size;  // unsigned: a shape without elements may have any other lengths
    for (std::size_t d = shape.rank(); d-- > 0; stride *= shape[d])
      layout.strides[d] = static_cast<std::int64_t>(stride);
    return layout;
  }

  /// Whether one copy takes elements from one layout to the other.
  friend bool operator==(Layout const&, Layout const&) = default;
};

namespace detail {

/// The distance in bytes from the first element to the one at an index.
inline std::int64_t offset(Extents const& index, Strides const& strides) {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < index.rank(); ++d) sum += static_cast<std::int64_t>(index[d]) * strides[d];
  return sum;
}
template <class Byte>
Byte* address(Byte* first, Extents const& index, Strides const& strides) {
  return first + offset(index, strides);
}

}  // namespace detail
}}  // namespace tessera::v0
