// Which bytes of a value are asked for.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

/// By default all of a value. A range is clipped at the end of the value; a range that begins beyond the end is an
/// error.
struct ByteRange {
  std::uint64_t offset = 0, size = ~std::uint64_t{0};
  bool from_end = false;  ///< the last `size` bytes; offset is not used

  static constexpr ByteRange suffix(std::uint64_t size) { return {0, size, true}; }
  constexpr bool is_whole() const { return offset == 0 && !from_end && size == ~std::uint64_t{0}; }

  struct Resolved {
    std::uint64_t offset, size;
  };
  /// The range in a value of `total` bytes. Throws: StoreError.
  Resolved resolve(std::uint64_t total) const {
    if (from_end) {
      auto const count = std::min(size, total);
      return {total - count, count};
    }
    if (offset > total)
      throw StoreError{"a range that begins at byte " + std::to_string(offset) + " of a value of " +
                       std::to_string(total) + " bytes"}
          .in_range_beyond(offset);
    return {offset, std::min(size, total - offset)};
  }
};

}}  // namespace tessera::v0
