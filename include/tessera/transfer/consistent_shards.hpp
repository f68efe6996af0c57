// Shards that somebody may replace while they are read: the index and the chunks that a read has of one are of one
// value.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>

#include <tessera/core/first_of.hpp>
#include <tessera/shard/watched_shards.hpp>
#include <tessera/transfer/batches.hpp>
#include <tessera/transfer/chunk_access.hpp>
#include <tessera/transfer/chunk_read.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What it holds is kept by a queue and used again.
template <class P>
class ConsistentShards {
  using Source = ChunkAccess<P>;
  using Queue = typename P::queue_type;
  using Chunks = std::span<ChunkRead<P>>;

 public:
  /// Calls read(chunks) for all of them, those of a few shards at a time, and again for those of which a shard was
  /// replaced when its index was read and its chunks were not: what it read of them is nobody's, or an error is. Of
  /// shards that are replaced again and again one is read after the other, while it is locked. Throws: what `read`
  /// throws; StoreError, with the key, of a shard that never stays; Cancelled.
  template <class F>
  void read(Source const& source, Chunks all, std::atomic<bool> const* stop, Queue& on, F&& read) {
    if (!source.shards) return read(all);
    while (!all.empty()) {
      auto const some = all.first(few_shards(source, all, on));
      int tries = 0;
      while (tries < 3 && !is_one_value(source, some, read)) ++tries, expect_going(stop);
      if (tries == 3) read_locked(source, some, stop, read);
      all = all.subspan(some.size());
    }
  }

  /// Those that `read` has at hand.
  WatchedShards& watched() { return watched_; }

 private:
  // Their indexes are in memory together. A shard that is watched is an open file, and all threads together shall have
  // some hundreds.
  static std::size_t few_shards(Source const& source, Chunks all, Queue& on) {
    constexpr std::size_t most_bytes = 4 << 20;  // of encoded indexes
    auto most = std::max<std::size_t>(most_bytes / source.shards->grid().levels().front().index->size(), 1);
    if (source.store.can.watches) most = std::min(most, std::clamp<std::size_t>(256 / on.host().threads(), 1, 8));
    std::size_t shards = 1;
    for (std::size_t end = 1; end < all.size(); ++end)
      if (all[end].key.path != all[end - 1].key.path && ++shards > most) return end;
    return all.size();
  }

  template <class F>
  void read_locked(Source const& source, Chunks some, std::atomic<bool> const* stop, F&& read) {
    while (!some.empty()) {
      auto const is_other = [&](auto const& chunk) { return chunk.key.path != some.front().key.path; };
      auto const* const end = first_of(some, is_other);
      auto const shard = end ? some.first(static_cast<std::size_t>(end - some.data())) : some;
      for (int tries = 0;; ++tries) {
        auto const held = source.store.lock(shard.front().key);
        if (is_one_value(source, shard, read)) break;
        expect_going(stop);
        if (tries == 1000)
          of_slot(source, shard.front(), [] {
            throw StoreError{"the shard was replaced whenever its index had been read, by somebody who takes no lock"};
          });
      }
      some = some.subspan(shard.size());
    }
  }

  // False: a shard was replaced meanwhile.
  template <class F>
  bool is_one_value(Source const& source, Chunks some, F&& read) {
    for (auto& chunk : some) chunk.sequence.reset(), chunk.found = false;
    struct End {
      WatchedShards& watched;
      ~End() { watched.clear(); }  // they are the store's
    } const end_of_watches{watched_};
    if (source.store.can.watches) watched_.begin(source, std::span<ChunkRead<P> const>{some});
    try {
      read(some);
    } catch (Error const&) {
      if (are_unchanged(source, some) && !is_written(source, some)) throw;
      return false;
    }
    return are_unchanged(source, some);
  }

  // Somebody wrote a shard of them while it was read, maybe behind its value: then it is found without its end.
  static bool is_written(Source const& source, Chunks some) {
    auto const is_changed = [&](auto const& chunk) {
      return chunk.sequence && !source.store.changes(chunk.key).none_since(*chunk.sequence);
    };
    return first_of(some, is_changed) != nullptr;
  }

  bool are_unchanged(Source const& source, Chunks some) {
    if (source.store.can.watches) return watched_.are_same(source, [&](Key const& key) { source.shards->forget(key); });
    bool are = true;
    for (auto const& chunk : some)
      if (chunk.sequence && !source.store.changes(chunk.key).none_since(*chunk.sequence))
        source.shards->forget(chunk.key), are = false;
    return are;
  }

  WatchedShards watched_;
};

}}}  // namespace tessera::v0::detail
