// Where the values of a mini-batch are: keys of their own, or ranges of shards.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <tessera/core/checked.hpp>
#include <tessera/shard/watched_shards.hpp>
#include <tessera/shard/whole_shard.hpp>
#include <tessera/store/get.hpp>
#include <tessera/transfer/chunk_access.hpp>
#include <tessera/transfer/chunk_read.hpp>
#include <tessera/transfer/read_options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What it holds is kept by a queue and used again.
template <class P>
class ShardLocator {
  using AnyQueue = typename P::queue_type;
  using Source = ChunkAccess<P>;
  using bytes_space = typename P::bytes_space;
  using Slot = ChunkRead<P>;

 public:
  /// Before a mini-batch: nothing that was located is used any more.
  void begin() { whole_.clear(); }

  /// Sets the range of each slot, or its bytes if they are there already. What is missing in a shard is not asked for.
  void run(Source const& source, FetchLimits const& limits, std::span<Slot> all, WatchedShards& watched, AnyQueue& on) {
    for (auto& slot : all) {
      slot.encoded = {};
      slot.range = is_part(slot, source.form) ? slot.wanted : ByteRange{};
      slot.found = !source.shards;
    }
    if (!source.shards) return;
    for (std::size_t i = 0; i < all.size();) {
      auto const is_other = [&](Slot const& slot) { return slot.key.path != all[i].key.path; };
      auto const end = std::ranges::find_if(all.subspan(i), is_other);
      auto const shard = all.subspan(i).first(static_cast<std::size_t>(end - all.subspan(i).begin()));
      i += shard.size();
      auto* const seen = watched.of(shard.front().key);
      if (seen && !seen->watch.version().is_there) continue;
      auto const read = [&, &key = shard.front().key](ByteRange range, Destination<space::Host> destination) {
        bool is_of_watch = false;
        auto const* const watch = seen ? &seen->watch : nullptr;
        auto& queue = queue_in<bytes_space>(on);
        auto const found = source.store.read_on_host(key, range, destination, watch, is_of_watch, queue);
        if (seen) seen->is_held &= is_of_watch;
        return found;
      };
      if constexpr (std::same_as<typename P::bytes_staging, space::Host>) {
        if (source.takes_whole_shards() && is_taken_whole(source, limits, shard)) {
          take_whole(source, shard, seen, read, on.host());
          continue;
        }
      }
      for (auto& slot : shard) find(source, slot, seen, read, on.host());
    }
  }

 private:
  // Where the chunk's value is in that of its key: reads the shard's index by `read`, if nobody has.
  static void find(Source const& source, Slot& slot, WatchedShard const* seen, ReadPart read, Queue<space::Host>& on) {
    auto const* const version = seen ? &seen->watch.version() : nullptr;
    std::optional<ByteRange> range;
    try {
      auto const& changes = source.store.changes(slot.key);
      range = source.shards->find(slot.key, slot.piece.chunk, read, changes, slot.sequence, on, version);
    } catch (Error& error) {
      error.in_key(slot.key.path).in_store(source.store.name());
      throw;
    }
    slot.found = range.has_value();
    if (!range) return;
    slot.range = *range;
    of_slot(source, slot, [&] { expect_at_most(range->size, most_encoded(source.form)); });
    if (!is_part(slot, source.form)) return;
    of_slot(source, slot, [&] { expect_size(checked_size(range->size, "a chunk"), source.form.decoded_size, 0); });
    slot.range = {range->offset + slot.wanted.offset, slot.wanted.size};
  }

  // Every chunk that the shard has is wanted, and together they are no more than is read at once.
  static bool is_taken_whole(Source const& source, FetchLimits const& limits, std::span<Slot const> shard) {
    // A store that reads ranges into many destinations has elements go right to where they belong.
    auto const& first = shard.front();
    if (is_part(first, source.form)) return false;
    if (source.store.can.gets_many && source.form.is_view() && first.direct.data && source.store.is_near())
      return false;
    auto const all = source.shards->grid().chunk_count(first.piece.chunk, source.form.layout.shape, source.array_shape);
    return shard.size() == all && shard_bound(source.form) <= limits.max_request_bytes;
  }
  // One read of all, if the index is not known.
  void take_whole(Source const& source, std::span<Slot> shard, WatchedShard const* seen, ReadPart read,
                  Queue<space::Host>& on) {
    auto& whole = whole_.next();
    auto const& key = shard.front().key;
    auto const most = shard_bound(source.form);
    auto const read_of_whole = [&](ByteRange range, Destination<space::Host> destination) {
      return whole.read_part(key, most, range, destination, read, on);
    };
    for (auto& slot : shard) find(source, slot, seen, read_of_whole, on);
    if (!whole.is_there()) return;
    for (auto& slot : shard)
      if (slot.found) of_slot(source, slot, [&] { slot.encoded = whole.part(slot.range); });
  }

  WholeShards whole_;
};

}}}  // namespace tessera::v0::detail
