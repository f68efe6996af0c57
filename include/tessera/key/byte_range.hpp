// ByteRange: the requested bytes of a value.
#pragma once
#include <cstdint>

namespace tessera { inline namespace v0 {

/// By default the whole value. A range is clipped at the end of the value; a range that begins beyond the end is an
/// error.
struct ByteRange {
  std::uint64_t offset = 0, size = ~std::uint64_t{0};  ///< in bytes, from the beginning of the value
  bool from_end = false;  ///< the last `size` bytes, whatever the offset

  static constexpr ByteRange suffix(std::uint64_t size) { return {0, size, true}; }  ///< the last `size` bytes
  /// Whether it is the whole value, of any size.
  constexpr bool is_whole() const { return offset == 0 && !from_end && size == ~std::uint64_t{0}; }

  /// Its offset and size in bytes in a value of known size.
  struct Resolved {
    std::uint64_t offset, size;
  };
  /// The range in a value of `total` bytes. Throws: StoreError, if it begins beyond the end.
  Resolved resolve(std::uint64_t total) const;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/key/detail/byte_range.ipp>
#endif
