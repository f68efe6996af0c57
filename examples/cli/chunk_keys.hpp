// Which keys below an array are those of its chunks.
#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <tessera/metadata/array_metadata.hpp>

namespace cli {

/// How many chunks an array has along each dimension.
inline tessera::Extents chunk_grid(tessera::ArrayMetadata const& array) {
  tessera::Extents grid;
  for (std::size_t d = 0; d < array.shape.rank(); ++d)
    grid.push_back(array.shape[d] / array.chunk_shape[d] + (array.shape[d] % array.chunk_shape[d] != 0));
  return grid;
}

/// The position of the chunk that a key below an array is of: its numbers, if written as a chunk's they make the same
/// key. nullopt: it is no chunk's.
inline std::optional<tessera::Extents> chunk_of(std::string_view key, tessera::ChunkKeyEncoding encoding,
                                                tessera::Extents const& grid) {
  tessera::Extents chunk;
  auto const* end = key.data() + key.size();
  for (auto const* at = key.data(); at != end;) {
    std::uint64_t number = 0;
    auto const [stop, error] = std::from_chars(at, end, number);
    if (error == std::errc::invalid_argument) {
      ++at;
      continue;
    }
    if (error != std::errc{}) return std::nullopt;
    at = stop;
    if (encoding.v2 && grid.rank() == 0) continue;  // its only key is "0"
    if (chunk.rank() == grid.rank() || number >= grid[chunk.rank()]) return std::nullopt;
    chunk.push_back(number);
  }
  std::string expected;
  encoding.append(expected, chunk);
  if (chunk.rank() != grid.rank() || key != expected) return std::nullopt;
  return chunk;
}

}  // namespace cli
