// ChunkKeyEncoding: the key of a chunk from its position in the grid (specification: chunk-key-encodings/default and
// /v2).
#pragma once
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 {

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
#include <tessera/key/detail/chunk_key.ipp>
#endif
