// Which keys below an array are those of its chunks.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include <tessera/metadata/array_metadata.hpp>

namespace cli {

/// How many chunks an array has along each dimension.
inline tessera::Extents chunk_grid(tessera::ArrayMetadata const& array) {
  tessera::Extents grid;
  for (std::size_t d = 0; d < array.shape.rank(); ++d)
    grid.push_back(array.shape[d] / array.chunk_shape[d] + (array.shape[d] % array.chunk_shape[d] != 0));
  return grid;
}

/// The position of the chunk that a key below an array is of. nullopt: it is no chunk's.
inline std::optional<tessera::Extents> chunk_of(std::string_view key, tessera::ChunkKeyEncoding encoding,
                                                tessera::Extents const& grid) {
  auto place = encoding.place_of(key, grid.rank());
  for (std::size_t d = 0; place && d < grid.rank(); ++d)
    if ((*place)[d] >= grid[d]) return std::nullopt;
  return place;
}

}  // namespace cli
