// Which keys below an array are chunk keys, and which elements a chunk has.
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include <tessera/metadata/detail/rectilinear.hpp>
#include <tessera/metadata/documents.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace cli {

/// How many chunks an array has along each dimension.
inline tessera::Extents chunk_grid(tessera::ArrayMetadata const& array) {
  tessera::Extents grid;
  for (auto const& axis : tessera::detail::chunk_axes(array.edges, array.shape)) grid.push_back(axis.chunks());
  if (!array.edges.empty()) return grid;
  for (std::size_t d = 0; d < array.shape.rank(); ++d)
    grid.push_back(array.shape[d] / array.chunk_shape[d] + (array.shape[d] % array.chunk_shape[d] != 0));
  return grid;
}

/// The chunk position of a key below an array. nullopt: not a chunk key.
inline std::optional<tessera::Extents> chunk_of(std::string_view key, tessera::ChunkKeyEncoding encoding,
                                                tessera::Extents const& grid) {
  auto place = encoding.place_of(key, grid.rank());
  for (std::size_t d = 0; place && d < grid.rank(); ++d)
    if ((*place)[d] >= grid[d]) return std::nullopt;
  return place;
}

/// The elements of the array that are in a chunk.
inline tessera::Region region_of_chunk(tessera::ArrayMetadata const& array, tessera::Extents const& place) {
  tessera::Region region{place, place, tessera::Extents::filled(place.rank(), 1)};
  auto const axes = tessera::detail::chunk_axes(array.edges, array.shape);
  for (std::size_t d = 0; d < place.rank(); ++d) {
    auto const length = array.chunk_shape[d], first = place[d] * length;
    auto const [begin, count] =
        axes.empty() ? tessera::detail::ChunkAxis::Placed{first, std::min(length, array.shape[d] - first)}
                     : axes[d].chunk(place[d]);
    region.first[d] = begin;
    region.count[d] = count;
  }
  return region;
}

}  // namespace cli
