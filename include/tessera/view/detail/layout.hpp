// Layout: how the elements of a chunk or an array lie in memory. Views, transpose and byte order reduce to it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 {

/// Where the elements of an array lie in contiguous bytes.
struct Layout {
  Extents shape;              ///< in elements
  Strides strides;            ///< bytes between elements, per dimension
  std::size_t item_size = 1;  ///< bytes
  std::size_t swapped = 1;    ///< bytes swapped together for the other byte order; 1: none
  /// The swapped components, if they differ within an element. `swapped` is then that of the largest.
  std::vector<ComponentRun> runs{};

  /// Contiguous, the last dimension dense, of elements of `item_size` bytes.
  static Layout c_order(Extents const& shape, std::size_t item_size);

  /// Whether one copy moves elements from one layout to the other.
  friend bool operator==(Layout const&, Layout const&) = default;
};

namespace detail {

/// The offset in bytes of the element at an index.
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

#if !defined(TESSERA_SEPARATE)
#include <tessera/view/detail/layout.ipp>
#endif
