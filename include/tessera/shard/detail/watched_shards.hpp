// WatchedShards: whether each shard, or chunk with an index, was one value while a read used its index and the rest.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <tessera/core/detail/first_of.hpp>
#include <tessera/key/key.hpp>
#include <tessera/store/detail/value_watch.hpp>

namespace tessera { inline namespace v0 { namespace detail {

struct WatchedShard {
  Key const* key;
  ValueWatch watch;
  bool is_held = true;  ///< all bytes read are of the watched version, whatever the key has meanwhile
};

/// For stores that can watch values. Its memory is used again.
class WatchedShards {
 public:
  /// Watches each shard of the slots, or each value that is read in two steps; slots of one are neighbours. Requires:
  /// the store lives until `clear`.
  template <class Source, class Slot>
  void begin(Source const& source, std::span<Slot const> slots) {
    clear();
    for (auto const& slot : slots)
      if ((source.shards || slot.has_index) && (shards_.empty() || shards_.back().key->path != slot.key.path))
        shards_.push_back({&slot.key, source.store.watch(slot.key)});
  }
  void clear() { shards_.clear(); }

  /// nullptr: it is not watched.
  WatchedShard* of(Key const& key) {
    return first_of(shards_, [&](WatchedShard const& shard) { return shard.key->path == key.path; });
  }

  /// Whether each shard was read from one value; calls f(key) for the others. Forgets indexes for which a later value
  /// could be mistaken for the watched one.
  template <class Source, class F>
  bool are_same(Source const& source, F&& f) const {
    bool are = true;
    for (auto const& [key, watch, is_held] : shards_) {
      auto const& seen = watch.version();
      if (seen.is_there && !(is_held ? watch.is_unchanged() : source.store.watch(*key).version().is_same(seen)))
        f(*key), are = false;
      if (!seen.is_settled && source.shards) source.shards->forget(*key);
    }
    return are;
  }

 private:
  std::vector<WatchedShard> shards_;  // few
};

}}}  // namespace tessera::v0::detail
