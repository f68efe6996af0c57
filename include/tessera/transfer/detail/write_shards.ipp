#pragma once
#include <tessera/transfer/detail/write_shards.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::uint64_t end_of_shard(ShardGrid const& grid, Plan const& plan, std::uint64_t first) {
  auto const shard = grid.shard_of(plan.piece(first).chunk);
  auto within = first, end = first + std::min(plan.size() - first, grid.chunk_count());
  while (end - within > 1) {
    auto const middle = within + (end - within) / 2;
    (grid.shard_of(plan.piece(middle).chunk) == shard ? within : end) = middle;
  }
  return end;
}

TESSERA_DECL bool is_whole_shard(ShardGrid const& grid, Extents const& chunk_shape, Extents const& shape,
                                 Plan const& plan, std::uint64_t first, std::uint64_t last) {
  if (grid.chunk_count(plan.piece(first).chunk, chunk_shape, shape) != last - first) return false;
  for (auto i = first; i < last; ++i)
    if (auto const piece = plan.piece(i); plan.elements(piece) != elements_of_chunk(chunk_shape, shape, piece.chunk))
      return false;
  return true;
}

TESSERA_DECL std::map<std::uint64_t, std::uint64_t> kept_of_entries(ShardGrid const& grid, Extents const& chunk_shape,
                                                                    Extents const& shape, Plan const& plan,
                                                                    std::uint64_t first, std::uint64_t last) {
  auto entry_shape = chunk_shape;
  for (std::size_t d = 0; d < shape.rank(); ++d) entry_shape[d] *= grid.chunks_per_entry()[d];
  std::map<std::uint64_t, std::uint64_t> kept;
  for (auto i = first; i < last; ++i) {
    auto const piece = plan.piece(i);
    auto const [entry, is_new] = kept.try_emplace(grid.entry(0, piece.chunk), 0);
    auto place = piece.chunk;
    for (std::size_t d = 0; d < shape.rank(); ++d) place[d] /= grid.chunks_per_entry()[d];
    if (is_new) entry->second = elements_of_chunk(entry_shape, shape, place);
    entry->second -= plan.elements(piece);
  }
  return kept;
}

TESSERA_DECL std::uint64_t most_of_shard(ResolvedChunk const& form, std::uint64_t old, std::uint64_t fresh) {
  std::uint64_t indexes = 0, shards = 1;
  for (auto const& level : form.shards) {
    indexes += 4 * shards * level.index->size();
    shards *= level.index->entries();
  }
  auto const most = most_of_shard(form);
  if (form.shards.front().behind || indexes > most || old > most || fresh > most) return most;
  return std::min(most, indexes + 2 * (old + fresh));
}

TESSERA_DECL std::uint64_t bound_of_chunks(ResolvedChunk const& form, std::uint64_t chunks) {
  auto const each = std::uint64_t{form.encoded_bound()}, most = most_of_shard(form);
  return each != 0 && chunks > most / each ? most : each * chunks;
}

TESSERA_DECL std::uint64_t beside_shard(ResolvedChunk const& form) {
  return form.memory(true) + (std::uint64_t{1} << 20);
}

TESSERA_DECL WriteOptions share_of(WriteOptions options, ResolvedChunk const& form, std::size_t& shards,
                                   std::uint64_t shard) {
  options.progress = nullptr;
  if (options.memory == 0) return options;
  auto const least = shard + beside_shard(form);
  if (options.memory < least)
    throw BudgetError{to_text(
        {"a shard takes ", least, " bytes of memory, expected at most the budget of ", options.memory.value()})};
  shards = static_cast<std::size_t>(std::min<std::uint64_t>(shards, options.memory / least));
  options.memory = options.memory / shards - shard;
  return options;
}

}}}  // namespace tessera::v0::detail
