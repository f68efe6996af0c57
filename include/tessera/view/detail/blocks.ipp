#pragma once
#include <tessera/view/blocks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tessera/core/dimensions.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL ResolvedSelection Blocks::resolve(Extents const& shape, Extents const& chunk_shape) const {
  auto grid = shape;
  for (std::size_t d = 0; d < grid.rank(); ++d) grid[d] = shape[d] / chunk_shape[d] + (shape[d] % chunk_shape[d] != 0);
  return resolve_in(grid, [&](std::size_t d, std::uint64_t chunk) {
    auto const first = chunk * chunk_shape[d];
    return std::pair{first, first + std::min(chunk_shape[d], shape[d] - first)};
  });
}

}}  // namespace tessera::v0
