// The shards that a read has at hand, watched: whether each was one value while its index and its chunks were read.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <tessera/core/first_of.hpp>
#include <tessera/key/key.hpp>
#include <tessera/store/watch.hpp>

namespace tessera { inline namespace v0 { namespace detail {

struct WatchedShard {
  Key const* key;
  ValueWatch watch;
  bool is_held = true;  ///< all that was read of it is of the watched value, whatever its key has meanwhile
};

/// Of stores that let values be watched; the memory is used again.
class WatchedShards {
 public:
  /// Each shard of the slots, which lie together. It does not outlive the store: `clear` ends it.
  template <class Source, class Slot>
  void begin(Source const& source, std::span<Slot const> slots) {
    clear();
    for (auto const& slot : slots)
      if (shards_.empty() || shards_.back().key->path != slot.key.path)
        shards_.push_back({&slot.key, source.store.watch(slot.key)});
  }
  void clear() { shards_.clear(); }

  /// nullptr: it is not watched.
  WatchedShard* of(Key const& key) {
    return first_of(shards_, [&](WatchedShard const& shard) { return shard.key->path == key.path; });
  }

  /// Calls f(key) for those of which parts of several values may have been read: whether there are none. Indexes of
  /// which a later value may be taken for the watched one are forgotten.
  template <class Source, class F>
  bool are_same(Source const& source, F&& f) const {
    bool are = true;
    for (auto const& [key, watch, is_held] : shards_) {
      auto const& seen = watch.version();
      if (seen.is_there && !(is_held ? watch.is_unchanged() : source.store.watch(*key).version().is_same(seen)))
        f(*key), are = false;
      if (!seen.is_settled) source.shards->forget(*key);
    }
    return are;
  }

 private:
  std::vector<WatchedShard> shards_;  // few
};

}}}  // namespace tessera::v0::detail
