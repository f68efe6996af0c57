// Writing shards: each is put together out of its chunks, new and old, and replaced at once while its key is locked.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <tessera/shard/builder.hpp>
#include <tessera/shard/cut_shards.hpp>
#include <tessera/shard/shard_store.hpp>
#include <tessera/shard/whole_shard.hpp>
#include <tessera/transfer/write.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Where the pieces end that are of one shard with this one, its first: they follow each other.
inline std::uint64_t end_of_shard(ShardGrid const& grid, Plan const& plan, std::uint64_t first) {
  auto const shard = grid.shard_of(plan.piece(first).chunk);
  auto within = first, end = first + std::min(plan.size() - first, grid.chunk_count());
  while (end - within > 1) {
    auto const middle = within + (end - within) / 2;
    (grid.shard_of(plan.piece(middle).chunk) == shard ? within : end) = middle;
  }
  return end;
}

// Every element of the shard that lies in the array is given: its old value is not read.
inline bool is_whole_shard(ShardGrid const& grid, Extents const& chunk_shape, Extents const& shape, Plan const& plan,
                           std::uint64_t first, std::uint64_t last) {
  if (grid.chunk_count(plan.piece(first).chunk, chunk_shape, shape) != last - first) return false;
  for (auto i = first; i < last; ++i)
    if (auto const piece = plan.piece(i); plan.elements(piece) != elements_of_chunk(chunk_shape, shape, piece.chunk))
      return false;
  return true;
}

// Of each entry of a shard's index that is written: how many elements in the array are not given.
inline std::map<std::uint64_t, std::uint64_t> kept_of_entries(ShardGrid const& grid, Extents const& chunk_shape,
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

// A budget is for all shards under way: what has arrived of each, old and new, and its value; and for chunks on their
// way to it. Where codecs stand behind shards, for their values before and after them too.
inline WriteOptions share_of(WriteOptions options, ResolvedChunk const& form, std::size_t& shards) {
  options.progress = {};
  if (options.memory == 0) return options;
  auto const shard = (form.shards.front().behind ? 5 : 3) * shard_bound(form);
  auto const least = shard + form.memory(true) + (std::uint64_t{1} << 20);
  if (options.memory < least)
    throw SelectionError{
        text({"a shard takes ", least, " bytes of memory, expected at most the budget of ", options.memory})};
  shards = static_cast<std::size_t>(std::min<std::uint64_t>(shards, options.memory / least));
  options.memory = options.memory / shards - shard;
  return options;
}

/// Of the chunks of a shard that is being written.
template <MemorySpace Space>
class ShardChunkNames final : public ChunkNames {
 public:
  ShardChunkNames(ShardBuilder<Space> const& builder, Key const& shard) : builder_{builder}, shard_{shard} {}

  void put_key(Key& key, Extents const& chunk) const override {
    ShardStore<Space>::put_key(key, builder_.number_of(chunk));
  }
  void blame(Error& error, Key const&, Extents const& chunk) const override {
    error.in_inner_chunk(to_string(chunk)).in_key(shard_.path);
  }

 private:
  ShardBuilder<Space> const& builder_;
  Key const& shard_;
};

}  // namespace detail

/// Writes what is `selected` of a sharded array, as write_chunks does; progress counts shards. A shard is written
/// wholly or not at all, its inner chunks in the order of its index; those of nothing but the fill value are left out.
/// Where part of it is written its old value is read first, or it is appended to (WriteOptions). Of each shard under
/// way all encoded bytes are in memory; there are `options.in_flight` of them, by default one for each thread.
template <class P, class Selected, class From = StridedView<typename P::array_space>>
void write_shards(ChunkAccess<P> const& source, Extents const& shape, Selected const& selected, From const& origin,
                  typename P::queue_type& on, WriteOptions const& options = {}) {
  using bytes_space = typename P::bytes_space;
  using Builder = detail::ShardBuilder<bytes_space>;
  auto const& grid = source.shards->grid();
  auto const& plan = detail::planned(selected, source.form.layout.shape, grid.chunks_per_shard(), Repeats::last);
  std::vector<std::uint64_t> firsts;  // the first piece of each shard
  for (std::uint64_t i = 0; i < plan.size(); i = detail::end_of_shard(grid, plan, i)) firsts.push_back(i);
  auto in_flight = options.in_flight ? options.in_flight : on.host().threads();
  auto const share = detail::share_of(options, source.form, in_flight);
  bool const appends = options.append_to_shards && source.store.can.appends && detail::shows_cuts(grid.levels());

  auto const put_chunks = [&](Builder& builder, Key const& key, std::uint64_t first, std::uint64_t last) {
    detail::ShardStore<bytes_space> const in_shard{builder, source.store};
    detail::ShardChunkNames<bytes_space> const names{builder, key};
    typename ChunkAccess<P>::Writing const writing{in_shard, source.writing->encoder};
    ChunkAccess<P> const chunks{in_shard, names, source.pipeline, source.form, source.fill, nullptr, {}, &writing};
    detail::write_pieces(chunks, shape, plan, first, last, origin, on, share);
  };
  // False: nothing was done.
  auto const append_one = [&](Builder& builder, Key const& key, std::uint64_t first, std::uint64_t last) {
    auto& queue = queue_in<bytes_space>(on);
    builder.begin(grid);
    if (!builder.open(source.store, key, queue)) return false;
    for (auto const& [entry, kept] : detail::kept_of_entries(grid, source.form.layout.shape, shape, plan, first, last))
      builder.renew(entry, kept > 0, source.store, key, queue);
    put_chunks(builder, key, first, last);
    bool done = false;
    source.store.changes(key).during([&] { done = builder.append(source.writing->store, key, queue); });
    return done;
  };
  auto const write_one = [&](Builder& builder, Key const& key, std::uint64_t first, std::uint64_t last) {
    auto& queue = queue_in<bytes_space>(on);
    detail::until_unchanged([&] {
      auto const held = source.store.lock(key);
      bool const is_whole = detail::is_whole_shard(grid, source.form.layout.shape, shape, plan, first, last);
      if (appends && !is_whole && append_one(builder, key, first, last)) return;
      builder.begin(grid);
      if (!is_whole) builder.load(source.store, key, queue);
      put_chunks(builder, key, first, last);
      source.store.changes(key).during([&] { builder.store(source.writing->store, key, queue); });
    });
  };
  detail::Batches const shards{firsts.size(), 1, std::max<std::size_t>(in_flight, 1), detail::shard_bound(source.form)};
  detail::run_batches<Builder>(shards, options, on, [&](auto const& lease, std::uint64_t i, std::uint64_t) {
    Key key;
    source.names.put_key(key, plan.piece(firsts[i]).chunk);
    try {
      write_one(*lease(), key, firsts[i], i + 1 < firsts.size() ? firsts[i + 1] : plan.size());
    } catch (Error& error) {
      error.in_key(key.path).in_store(source.store.name());
      throw;
    }
  });
}

}}  // namespace tessera::v0
