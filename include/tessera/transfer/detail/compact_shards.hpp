// compact_shards: rewrites shards that were appended to or are in disorder, as if written at once.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <tessera/shard/detail/builder.hpp>
#include <tessera/shard/detail/cut_shards.hpp>
#include <tessera/shard/detail/entries.hpp>
#include <tessera/store/detail/value_changed.hpp>
#include <tessera/transfer/detail/chunks_outside.hpp>
#include <tessera/transfer/detail/write_shards.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

/// The places of an array's shards that may exist. Throws: StoreError; Cancelled, if `stop` becomes true before the
/// store has listed all.
template <class S>
Places shards_of(S const& store, std::string const& path, ChunkKeyEncoding encoding, Extents const& shape,
                 Extents const& shard_shape, Queue<space::Host>& on, std::atomic<bool> const* stop = nullptr) {
  Places places{shape.rank()};
  if (shape.rank() == 0) places.add({});
  std::mutex mutex;
  ChunksOutside const all_of_it{Extents::filled(shape.rank(), 0), shape, shard_shape};
  auto const add = [&](Extents const& place) {
    expect_going(stop);  // if the store cannot list, every place is tried
    std::lock_guard lock{mutex};
    places.add(place);
  };
  all_of_it.for_each(store, path, encoding, on, add, stop);
  return places;
}

}  // namespace detail

/// Rewrites the untidy ones of `count` shards, the i-th at place(i), each atomically under its key's lock; reads only
/// the index of the others. Chunks stay encoded. Returns the bytes saved. Throws: StoreError, CodecError with the key,
/// Cancelled.
template <class P, class Place>
std::uint64_t compact_shards(ChunkAccess<P> const& source, std::uint64_t count, Place&& place,
                             typename P::queue_type& on, CompactOptions const& options = {}) {
  using bytes_space = typename P::bytes_space;
  using Builder = detail::ShardBuilder<bytes_space>;
  auto const& grid = source.shards->grid();
  auto const& store = source.writing->store;
  std::atomic<std::uint64_t> won{0};
  std::mutex mutex;  // for `recovered`
  auto const compact = [&](auto const& lane, Extents const& at) {
    Key key;
    auto first = at;  // the shard's first chunk
    for (std::size_t d = 0; d < at.rank(); ++d) first[d] *= grid.chunks_per_shard()[d];
    source.names.put_key(key, first);
    auto& queue = queue_in<bytes_space>(on);
    try {
      auto const held = store.lock(key, options.stop);
      auto const before = store.size(key, queue);
      if (!before) return;
      auto const part = detail::parts_in<bytes_space>(store, key, queue, options.stop);
      auto sound = *before;
      try {
        if (detail::is_tidy(grid, 0, {0, sound}, part, on.host())) return;
      } catch (CodecError const& error) {
        auto const& index = *grid.levels().front().index;
        if (!options.recovered || index.at_start()) throw;
        if (!detail::shows_cuts(grid.levels()))
          throw CodecError{to_text({error.what(), "; an append that was cut off cannot be detected: expected an index ",
                                    "with a checksum (codec crc32c), of another length than those of inner shards"})};
        sound = detail::end_of_sound(index, sound, part, on.host());
        if (sound == 0 || sound == *before) throw;
      }
      if (auto const takes = detail::most_of_shard(source.form, sound, 0);
          options.memory != 0 && takes > options.memory)
        throw BudgetError{
            to_text({"a shard takes ", takes, " bytes of memory, expected at most the budget of ", options.memory})};
      auto const builder = lane.lease();
      builder->begin(grid);
      builder->load(store, key, queue, options.stop, {0, sound});
      store.changes(key).during([&] { won += *before - std::min(*before, builder->store(store, key, queue)); });
      if (sound == *before) return;
      std::lock_guard lock{mutex};
      options.recovered(key.path);
    } catch (Error& error) {
      error.in_key(key.path).in_store(store.name());
      throw;
    }
  };
  auto in_flight = options.in_flight ? options.in_flight : on.host().threads();
  if (options.memory != 0 && options.memory < detail::most_of_shard(source.form) + detail::beside_shard(source.form))
    in_flight = 1;  // shards may be sparse: check each
  else
    detail::share_of({.in_flight = in_flight, .memory = options.memory}, source.form, in_flight,
                     detail::most_of_shard(source.form));
  detail::Batches const shards{count, 1, std::max<std::size_t>(in_flight, 1), detail::shard_bound(source.form)};
  detail::MiniBatches<Builder, typename P::queue_type> work{shards, options, on};
  on.host().for_each(work.lanes(), [&](std::size_t) {
    for (auto lane = work.lane(); lane.next();) detail::until_unchanged([&] { compact(lane, place(lane.first())); });
  });
  return won;
}

}}  // namespace tessera::v0
