// write_shards: builds each shard from its chunks, new and old, and replaces it atomically while its key is locked.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/shard/detail/builder.hpp>
#include <tessera/shard/detail/cut_shards.hpp>
#include <tessera/shard/detail/shard_store.hpp>
#include <tessera/shard/detail/whole_shard.hpp>
#include <tessera/transfer/detail/write.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// The end of the consecutive pieces of one shard, which begin at `first`.
TESSERA_DECL std::uint64_t end_of_shard(ShardGrid const& grid, Plan const& plan, std::uint64_t first);

// Whether every element of the shard that lies in the array is given: its old value is then not read.
TESSERA_DECL bool is_whole_shard(ShardGrid const& grid, Extents const& chunk_shape, Extents const& shape,
                                 Plan const& plan, std::uint64_t first, std::uint64_t last);

// For each written entry of a shard's index: how many elements in the array are not given.
TESSERA_DECL std::map<std::uint64_t, std::uint64_t> kept_of_entries(ShardGrid const& grid, Extents const& chunk_shape,
                                                              Extents const& shape, Plan const& plan,
                                                              std::uint64_t first, std::uint64_t last);

// Memory of a shard under way, if all its chunks are written: its chunks so far, old and new, and its value; with
// codecs after sharding_indexed, also its values before and after them.
inline std::uint64_t most_of_shard(ResolvedChunk const& form) {
  return (form.shards.front().behind ? 5 : 3) * shard_bound(form);
}
// For a shard of `old` encoded bytes that gets at most `fresh` more: its indexes, and these bytes twice.
TESSERA_DECL std::uint64_t most_of_shard(ResolvedChunk const& form, std::uint64_t old, std::uint64_t fresh);

// The most bytes of new chunks, at most most_of_shard.
TESSERA_DECL std::uint64_t bound_of_chunks(ResolvedChunk const& form, std::uint64_t chunks);

// A whole shard that may become larger gets memory only as its chunks come.
inline constexpr auto most_drafted = std::uint64_t{1} << 30;

// Memory beside the shard's own: chunks on their way to it, and a margin for small ones.
TESSERA_DECL std::uint64_t beside_shard(ResolvedChunk const& form);

// Splits the budget among the shards under way, each of `shard` bytes, and the chunks on their way to them.
TESSERA_DECL WriteOptions share_of(WriteOptions options, ResolvedChunk const& form, std::size_t& shards,
                             std::uint64_t shard);

// Memory for the largest shard that a plan writes; each shard begins at one of the pieces `firsts`. A shard written in
// part may have few chunks.
template <class P>
std::uint64_t most_of_shards(ChunkAccess<P> const& source, Extents const& shape, Plan const& plan,
                             std::vector<std::uint64_t> const& firsts, typename P::queue_type& on) {
  auto const& grid = source.shards->grid();
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    auto const first = firsts[i], last = i + 1 < firsts.size() ? firsts[i + 1] : plan.size();
    Key key;
    source.names.put_key(key, plan.piece(first).chunk);
    std::uint64_t old = 0;
    if (!is_whole_shard(grid, source.form.layout.shape, shape, plan, first, last))
      old = source.store.size(key, queue_in<typename P::bytes_space>(on)).value_or(0);
    most = std::max(most, most_of_shard(source.form, old, bound_of_chunks(source.form, last - first)));
  }
  return most;
}

/// Names the chunks of a shard under construction.
template <MemorySpace Space, class Builder = ShardBuilder<Space>>
class ShardChunkNames final : public ChunkNames {
 public:
  ShardChunkNames(Builder const& builder, Key const& shard) : builder_{builder}, shard_{shard} {}

  void put_key(Key& key, Extents const& chunk) const override {
    ShardStore<Space>::put_key(key, builder_.number_of(chunk));
  }
  void blame(Error& error, Key const&, Extents const& chunk) const override {
    error.in_inner_chunk(to_string(chunk)).in_key(shard_.path);
  }

 private:
  Builder const& builder_;
  Key const& shard_;
};

}  // namespace detail

/// Writes `selected` of a sharded array, as write_chunks does; progress counts shards. A shard is written wholly or not
/// at all, its inner chunks in the order of its index, without those that hold only the fill value. If part of it is
/// written, its old value is read first, or it is appended to (WriteOptions). Memory holds all encoded bytes of each
/// shard under way, not its elements; a whole shard takes addresses for the most bytes that it may have, up to 1 GiB.
/// `options.in_flight` are under way, by default one per thread.
template <class P, class Selected>
void write_shards(ChunkAccess<P> const& source, Extents const& shape, Selected const& selected,
                  StridedView<typename P::array_space> const& origin, typename P::queue_type& on,
                  WriteOptions const& options = {}) {
  using bytes_space = typename P::bytes_space;
  using Builder = detail::ShardBuilder<bytes_space>;
  auto const& grid = source.shards->grid();
  auto const& plan = detail::planned(selected, source.form.layout.shape, grid.chunks_per_shard(), Repeats::last);
  std::vector<std::uint64_t> firsts;  // the first piece of each shard
  for (std::uint64_t i = 0; i < plan.size(); i = detail::end_of_shard(grid, plan, i)) firsts.push_back(i);
  auto in_flight = options.in_flight ? options.in_flight.value() : on.host().threads();
  auto most = detail::most_of_shard(source.form);
  if (options.memory != 0 && options.memory < most + detail::beside_shard(source.form))
    most = detail::most_of_shards(source, shape, plan, firsts, on);
  auto const share = detail::share_of(options, source.form, in_flight, most);
  bool const appends = options.append_to_shards && source.store.can.appends && detail::shows_cuts(grid.levels());

  auto const put_chunks = [&](Builder& builder, Key const& key, std::uint64_t first, std::uint64_t last) {
    detail::ShardStore<bytes_space> const in_shard{builder, source.store};
    detail::ShardChunkNames<bytes_space> const names{builder, key};
    typename ChunkAccess<P>::Writing const writing{in_shard, source.writing->encodes};
    ChunkAccess<P> const chunks{in_shard, names, source.pipeline, source.form, source.fill, nullptr, {}, &writing};
    detail::write_pieces(chunks, shape, plan, first, last, origin, on, share);
  };
  // False: it did nothing.
  auto const append_one = [&](Builder& builder, Key const& key, std::uint64_t first, std::uint64_t last) {
    auto& queue = queue_in<bytes_space>(on);
    builder.begin(grid);
    if (!builder.open(source.store, key, queue, options.stop)) return false;
    for (auto const& [entry, kept] : detail::kept_of_entries(grid, source.form.layout.shape, shape, plan, first, last))
      builder.renew(entry, kept > 0, source.store, key, queue, options.stop);
    put_chunks(builder, key, first, last);
    bool done = false;
    source.store.changes(key).during([&] { done = builder.append(source.writing->store, key, queue); });
    return done;
  };
  auto const write_one = [&](Builder& builder, Key const& key, std::uint64_t first, std::uint64_t last) {
    auto& queue = queue_in<bytes_space>(on);
    detail::until_unchanged([&] {
      auto const held = source.store.lock(key, options.stop);
      bool const is_whole = detail::is_whole_shard(grid, source.form.layout.shape, shape, plan, first, last);
      if (appends && !is_whole && append_one(builder, key, first, last)) return;
      builder.begin(grid);
      if (!is_whole)
        builder.load(source.store, key, queue, options.stop);
      else if (auto const bound = detail::bound_of_chunks(source.form, last - first);
               !source.form.varying && bound <= detail::most_drafted)
        builder.draft(bound, queue);
      put_chunks(builder, key, first, last);
      source.store.changes(key).during([&] { builder.store(source.writing->store, key, queue); });
    });
  };
  detail::Batches const shards{firsts.size(), 1, std::max<std::size_t>(in_flight, 1), detail::shard_bound(source.form)};
  detail::MiniBatches<Builder, typename P::queue_type> work{shards, options, on};
  on.host().for_each(work.lanes(), [&](std::size_t) {
    for (auto lane = work.lane(); lane.next();) {
      auto const i = lane.first();
      Key key;
      source.names.put_key(key, plan.piece(firsts[i]).chunk);
      try {
        write_one(*lane.lease(), key, firsts[i], i + 1 < firsts.size() ? firsts[i + 1] : plan.size());
      } catch (Error& error) {
        error.in_key(key.path).in_store(source.store.name());
        throw;
      }
    }
  });
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/write_shards.ipp>
#endif
