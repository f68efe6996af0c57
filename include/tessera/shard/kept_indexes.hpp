// The indexes of shards that an array keeps from one read to the next, if it is told to.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <tessera/shard/index_cache.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Threads share it.
class KeptIndexes {
 public:
  /// From here on so many bytes, of none that were kept before; 0: nothing is kept.
  void keep(std::vector<ShardLevel> const& levels, std::uint64_t most) {
    auto kept = most > 0 && !levels.empty() ? std::make_shared<ShardIndexCache>(levels, most) : nullptr;
    std::lock_guard lock{mutex_};
    kept_.swap(kept);
  }

  /// A read holds what it uses. Null: nothing is kept.
  std::shared_ptr<ShardIndexCache> get() const {
    std::lock_guard lock{mutex_};
    return kept_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<ShardIndexCache> kept_;
};

}}}  // namespace tessera::v0::detail
