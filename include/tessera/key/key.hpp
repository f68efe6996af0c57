// Key: the name of a value in a store (core specification, "Abstract store interface"). ByteRange: the requested bytes
// of a value.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

/// Its `path` is "t1/c/0/0/0": names joined by '/', relative to the store's root.
struct Key {
  std::string path;
};

namespace detail {

// One pass: it runs for every chunk's key.
TESSERA_DECL bool is_key(std::string_view path);

}  // namespace detail

/// Throws: StoreError, if the key could lead outside the store: it has an empty name, "." or "..", or NUL.
TESSERA_DECL void check_key(Key const& key);
[[deprecated("tessera: check(Key) was renamed check_key")]] inline void check(Key const& key) { check_key(key); }

/// "t1" and "zarr.json" make "t1/zarr.json"; the root's path is empty.
TESSERA_DECL Key operator/(std::string_view path, std::string_view name);

/// A range of a value's bytes, by default the whole. It is clipped at the end of the value; one that begins beyond the
/// end is an error.
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
#include <tessera/key/detail/key.ipp>
#endif
