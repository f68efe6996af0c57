// How the position of a chunk in the grid becomes a key (specification: chunk-key-encodings/default and /v2).
#pragma once
#include <charconv>
#include <cstdint>
#include <string>

#include <tessera/core/dimensions.hpp>

namespace tessera::inline v0 {

struct ChunkKeyEncoding {
  bool v2 = false;  ///< as Zarr v2 did: without the leading "c"
  char separator = '/';

  /// Appends "c/1/23/45" for the chunk at (1, 23, 45).
  void append(std::string& path, Extents const& chunk) const {
    if (!v2) path += 'c';
    if (v2 && chunk.rank() == 0) path += '0';
    for (std::size_t d = 0; d < chunk.rank(); ++d) {
      if (!v2 || d > 0) path += separator;
      char digits[20];
      path.append(digits, std::to_chars(digits, digits + sizeof digits, chunk[d]).ptr);
    }
  }
};

}  // namespace tessera::inline v0
