// ShardGrid: where inner chunks are in their shards. Chunks are counted over the whole array.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>

namespace tessera { inline namespace v0 {

class ShardGrid {
 public:
  /// Requires: `levels` are an array's, at least one, and outlive this.
  explicit ShardGrid(std::vector<ShardLevel> const& levels);

  std::vector<ShardLevel> const& levels() const { return *levels_; }
  /// Along each dimension.
  Extents const& chunks_per_shard() const { return in_shard_; }
  /// Of a shard's index: one, unless shards contain shards.
  Extents const& chunks_per_entry() const { return below_.front(); }

  /// The position of a chunk's shard in the grid of shards.
  Extents shard_of(Extents chunk) const;

  std::uint64_t chunk_count() const { return element_count(in_shard_, "the inner chunks of a shard"); }
  /// The number of chunks in this chunk's shard that have elements in an array of that shape.
  std::uint64_t chunk_count(Extents const& chunk, Extents const& chunk_shape, Extents const& shape) const;

  /// A chunk's entry in the index of its shard, or of its inner shard at that level.
  std::uint64_t entry(std::size_t level, Extents const& chunk) const;

 private:
  std::vector<ShardLevel> const* levels_;
  std::vector<Extents> below_;  // chunks below an entry of each level
  Extents in_shard_;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/shard/detail/grid.ipp>
#endif
