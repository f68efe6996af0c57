// Shards that were appended to, or are in disorder, made as if they had been written at once.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <tessera/array/beyond.hpp>
#include <tessera/array/shard_draft.hpp>
#include <tessera/array/shard_entries.hpp>
#include <tessera/array/write_shards.hpp>

namespace tessera::inline v0 {
namespace detail {

/// The places of an array's shards, as far as there may be some.
template <class S>
std::vector<Extents> shards_of(S const& store, std::string const& path, ChunkKeyEncoding encoding, Extents const& shape,
                               Extents const& shard_shape, Queue<space::Host>& on) {
  std::vector<Extents> places;
  if (shape.rank() == 0) places.emplace_back();
  std::mutex mutex;
  Beyond const all_of_it{Extents::filled(shape.rank(), 0), shape, shard_shape};
  all_of_it.for_each(chunks_of(store), path, encoding, on, [&](Extents const& place) {
    std::lock_guard lock{mutex};
    places.push_back(place);
  });
  return places;
}

}  // namespace detail

/// Rewrites those of the shards at `places` that are not tidy, each at once and while its key is locked; of the others
/// the index alone is read. Chunks stay encoded as they are. Returns how many bytes fewer the shards have. Of the
/// options `in_flight`, `memory`, `stop` and `progress` count, as for write_shards. Throws: StoreError, CodecError with
/// the key, Cancelled.
template <class S, class P>
std::uint64_t compact_shards(ChunkSource<S, P> const& source, std::vector<Extents> const& places, KeyLocks& locks,
                             typename P::queue_type& on, WriteOptions const& options = {}) {
  using bytes_space = typename P::bytes_space;
  using Draft = detail::ShardDraft<bytes_space>;
  auto const& grid = source.shards->grid();
  auto const& store = source.store;
  std::atomic<std::uint64_t> won{0};
  auto const compact = [&](auto const& lease, Extents const& place) {
    Key key{std::string{source.prefix}};
    source.key_encoding.append(key.path, place);
    auto const held = detail::lock_of(store, key, locks);
    auto& queue = queue_in<bytes_space>(on);
    try {
      auto const before = size(store, key, queue);
      if (!before || detail::is_tidy(grid, 0, {0, *before}, detail::parts_in(store, key, queue), on.host())) return;
      auto const draft = lease();
      draft->begin(grid);
      draft->load(store, key, queue);
      detail::changes_of(store, key, locks).during([&] {
        won += *before - std::min(*before, draft->store(store, key, queue));
      });
    } catch (Error& error) {
      error.in_key(key.path).in_store(name_of(store));
      throw;
    }
  };
  auto in_flight = options.in_flight ? options.in_flight : on.host().threads();
  detail::share_of(options, source.form, in_flight);
  detail::Batches const shards{places.size(), 1, std::max<std::size_t>(in_flight, 1)};
  detail::run_batches<Draft>(shards, options, on, [&](auto const& lease, std::uint64_t i, std::uint64_t) {
    compact(lease, places[static_cast<std::size_t>(i)]);
  });
  return won;
}

}  // namespace tessera::inline v0
