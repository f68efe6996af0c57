#pragma once
#include <tessera/shard/detail/grid.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL ShardGrid::ShardGrid(std::vector<ShardLevel> const& levels) : levels_{&levels}, below_(levels.size()) {
  auto chunks = Extents::filled(levels.front().entries.shape.rank(), 1);
  for (auto level = levels.size(); level-- > 0;) {
    below_[level] = chunks;
    for (std::size_t d = 0; d < chunks.rank(); ++d) chunks[d] *= levels[level].entries.shape[d];
  }
  in_shard_ = chunks;
}

TESSERA_DECL Extents ShardGrid::shard_of(Extents chunk) const {
  for (std::size_t d = 0; d < chunk.rank(); ++d) chunk[d] /= in_shard_[d];
  return chunk;
}

TESSERA_DECL std::uint64_t ShardGrid::chunk_count(Extents const& chunk, Extents const& chunk_shape,
                                                  Extents const& shape) const {
  std::uint64_t count = 1;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    auto const chunks = shape[d] / chunk_shape[d] + (shape[d] % chunk_shape[d] != 0);
    count *= std::min(in_shard_[d], chunks - chunk[d] / in_shard_[d] * in_shard_[d]);
  }
  return count;
}

TESSERA_DECL std::uint64_t ShardGrid::entry(std::size_t level, Extents const& chunk) const {
  auto const& entries = (*levels_)[level].entries;
  std::uint64_t number = 0;
  for (std::size_t d = 0; d < chunk.rank(); ++d)
    number += chunk[d] / below_[level][d] % entries.shape[d] * static_cast<std::uint64_t>(entries.strides[d]);
  return number;
}

}}  // namespace tessera::v0
