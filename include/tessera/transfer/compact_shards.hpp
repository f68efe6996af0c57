// Shards that were appended to, or are in disorder, made as if they had been written at once.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <tessera/shard/builder.hpp>
#include <tessera/shard/cut_shards.hpp>
#include <tessera/shard/entries.hpp>
#include <tessera/store/value_changed.hpp>
#include <tessera/transfer/chunks_outside.hpp>
#include <tessera/transfer/write_shards.hpp>

namespace tessera { inline namespace v0 {

struct CompactOptions {
  /// As for a write: shards under way at a time, and the bytes that they may take.
  std::size_t in_flight = 0;
  std::uint64_t memory = 0;
  std::atomic<bool> const* stop = nullptr;
  Progress progress{};  ///< counts shards
  /// If given, a shard that ends in no index, and has one further ahead, is what that says: what it was before an
  /// append to it was cut off. This is called with its key, by one thread at a time. Else such a shard is an error; so
  /// is one whose index has no checksum, or is as long as an index in it, and hence may be found where there is none.
  std::function<void(std::string const&)> recovered{};
};

namespace detail {

/// The places of an array's shards, as far as there may be some. Throws: StoreError; Cancelled, if `stop` is true
/// before the store has shown them all.
template <class S>
std::vector<Extents> shards_of(S const& store, std::string const& path, ChunkKeyEncoding encoding, Extents const& shape,
                               Extents const& shard_shape, Queue<space::Host>& on,
                               std::atomic<bool> const* stop = nullptr) {
  std::vector<Extents> places;
  if (shape.rank() == 0) places.emplace_back();
  std::mutex mutex;
  ChunksOutside const all_of_it{Extents::filled(shape.rank(), 0), shape, shard_shape};
  auto const add = [&](Extents const& place) {
    expect_going(stop);  // a store that cannot list has all of them tried
    std::lock_guard lock{mutex};
    places.push_back(place);
  };
  all_of_it.for_each(chunks_of(store), path, encoding, on, add, stop);
  return places;
}

}  // namespace detail

/// Rewrites those of `count` shards that are not tidy, of which the i-th is at place(i), each at once and while its key
/// is locked; of the others the index alone is read. Chunks stay encoded as they are. Returns how many bytes fewer the
/// shards have. Throws: StoreError, CodecError with the key, Cancelled.
template <class P, class Place>
std::uint64_t compact_shards(ChunkAccess<P> const& source, std::uint64_t count, Place&& place,
                             typename P::queue_type& on, CompactOptions const& options = {}) {
  using bytes_space = typename P::bytes_space;
  using Builder = detail::ShardBuilder<bytes_space>;
  auto const& grid = source.shards->grid();
  auto const& store = source.writing->store;
  std::atomic<std::uint64_t> won{0};
  std::mutex mutex;  // of `recovered`
  auto const compact = [&](auto const& lease, Extents const& at) {
    Key key;
    auto first = at;  // of the shard's chunks
    for (std::size_t d = 0; d < at.rank(); ++d) first[d] *= grid.chunks_per_shard()[d];
    source.names.put_key(key, first);
    auto& queue = queue_in<bytes_space>(on);
    try {
      auto const held = store.lock(key);
      auto const before = store.size(key, queue);
      if (!before) return;
      auto const part = detail::parts_in<bytes_space>(store, key, queue);
      auto sound = *before;
      try {
        if (detail::is_tidy(grid, 0, {0, sound}, part, on.host())) return;
      } catch (CodecError const& error) {
        auto const& index = *grid.levels().front().index;
        if (!options.recovered || index.at_start()) throw;
        if (!detail::shows_cuts(grid.levels()))
          throw CodecError{text({error.what(), "; an append to it that was cut off does not show: expected an index ",
                                 "with a checksum (codec crc32c), as long as none of the shards in it"})};
        sound = detail::end_of_sound(index, sound, part, on.host());
        if (sound == 0 || sound == *before) throw;
      }
      auto const builder = lease();
      builder->begin(grid);
      builder->load(store, key, queue, {0, sound});
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
  detail::share_of({.in_flight = in_flight, .memory = options.memory}, source.form, in_flight);
  detail::Batches const shards{count, 1, std::max<std::size_t>(in_flight, 1), detail::shard_bound(source.form)};
  detail::run_batches<Builder>(shards, options, on, [&](auto const& lease, std::uint64_t i, std::uint64_t) {
    detail::until_unchanged([&] { compact(lease, place(i)); });
  });
  return won;
}

}}  // namespace tessera::v0
