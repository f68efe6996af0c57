// Where inner chunks are in their shards: chunks are counted over the whole array, at the bottom of all shards.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/pipeline/form.hpp>

namespace tessera { inline namespace v0 {

class ShardGrid {
 public:
  /// `levels` are an array's, which outlive this; at least one.
  explicit ShardGrid(std::vector<ShardLevel> const& levels) : levels_{&levels}, below_(levels.size()) {
    auto chunks = Extents::filled(levels.front().entries.shape.rank(), 1);
    for (auto level = levels.size(); level-- > 0;) {
      below_[level] = chunks;
      for (std::size_t d = 0; d < chunks.rank(); ++d) chunks[d] *= levels[level].entries.shape[d];
    }
    in_shard_ = chunks;
  }

  std::vector<ShardLevel> const& levels() const { return *levels_; }
  /// How many chunks a shard has along each dimension.
  Extents const& chunks_per_shard() const { return in_shard_; }
  /// How many of them an entry of a shard's index has: one, unless there are shards in the shard.
  Extents const& chunks_per_entry() const { return below_.front(); }

  /// The place of a chunk's shard among the shards.
  Extents shard_of(Extents chunk) const {
    for (std::size_t d = 0; d < chunk.rank(); ++d) chunk[d] /= in_shard_[d];
    return chunk;
  }

  std::uint64_t chunk_count() const { return element_count(in_shard_, "the inner chunks of a shard"); }
  /// How many chunks of a chunk's shard have elements in an array of that shape.
  std::uint64_t chunk_count(Extents const& chunk, Extents const& chunk_shape, Extents const& shape) const {
    std::uint64_t count = 1;
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      auto const chunks = shape[d] / chunk_shape[d] + (shape[d] % chunk_shape[d] != 0);
      count *= std::min(in_shard_[d], chunks - chunk[d] / in_shard_[d] * in_shard_[d]);
    }
    return count;
  }

  /// A chunk's entry in the index of the shard that it is in, or of the inner shard at that level.
  std::uint64_t entry(std::size_t level, Extents const& chunk) const {
    auto const& entries = (*levels_)[level].entries;
    std::uint64_t number = 0;
    for (std::size_t d = 0; d < chunk.rank(); ++d)
      number += chunk[d] / below_[level][d] % entries.shape[d] * static_cast<std::uint64_t>(entries.strides[d]);
    return number;
  }

 private:
  std::vector<ShardLevel> const* levels_;
  std::vector<Extents> below_;  // chunks below an entry of each level
  Extents in_shard_;
};

}}  // namespace tessera::v0
