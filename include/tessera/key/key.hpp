// Key: the name of a value in a store (core specification, "Abstract store interface"). ByteRange: the requested bytes
// of a value. ChunkKeyEncoding: the key of a chunk from its position in the grid (specification:
// chunk-key-encodings/default and /v2).
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>

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

/// How keys of chunks are made: "c/1/23/45", by default.
struct ChunkKeyEncoding {
  bool v2 = false;  ///< as in Zarr v2: no leading "c"
  char separator = '/';  ///< between numbers: '/' or '.'

  /// Appends "c/1/23/45" for the chunk at (1, 23, 45).
  void append(std::string& path, Extents const& chunk) const {
    constexpr std::size_t digits = 20;  // of a 64-bit number
    char name[1 + max_rank * (1 + digits)];
    auto* end = name;
    if (!v2) *end++ = 'c';
    if (v2 && chunk.rank() == 0) *end++ = '0';
    for (std::size_t d = 0; d < chunk.rank(); ++d) {
      if (!v2 || d > 0) *end++ = separator;
      end = std::to_chars(end, end + digits, chunk[d]).ptr;
    }
    path.append(name, end);
  }

  /// The position in a grid of `rank` dimensions of the chunk with this key. nullopt, if it is no chunk's key.
  std::optional<Extents> place_of(std::string_view key, std::size_t rank) const;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/key/detail/key.ipp>
#endif
