// ShardIndexCache: indexes of shards, each read once; they say where an array's inner chunks are.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/pipeline/detail/shard_index.hpp>
#include <tessera/shard/detail/grid.hpp>
#include <tessera/store/detail/value_watch.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 {

/// Threads share it. It keeps the most recently used indexes, and reads none itself: the thread that gets the claim on
/// a missing index reads it, while others wait.
class ShardIndexCache {
  using Host = space::Host;

  struct Index {
    enum class State { missing, claimed, there };
    State state = State::missing;
    std::vector<ShardEntry> entries{};                                  // empty: the shard does not exist
    std::unordered_map<std::uint64_t, std::unique_ptr<Index>> inner{};  // of inner shards, by entry
  };

 public:
  /// The known indexes of one value of a shard. A pointer keeps them alive, even if the cache drops them.
  class Shard {
   public:
    Shard(std::string key, std::uint64_t sequence, ValueVersion const* seen)
        : key_{std::move(key)}, sequence_{sequence}, size_{sizeof(Shard) + 2 * key_.size()} {
      if (seen) seen_ = *seen;
    }

    /// From before any of it was read: without changes since, all of it is of one value.
    std::uint64_t sequence() const { return sequence_; }

   private:
    friend ShardIndexCache;
    std::string const key_;
    std::uint64_t const sequence_;
    std::uint64_t size_;  // bytes, with inner shards
    std::optional<ValueVersion> seen_{};
    Index outermost_{};
  };

  /// A missing index, for the one thread that reads it.
  class Claim {
   public:
    Claim(ShardIndexCache& cache, std::shared_ptr<Shard> shard, Index& index, std::size_t level, ByteRange range)
        : cache_{&cache}, shard_{std::move(shard)}, index_{&index}, level_{level}, range_{range} {
      index.state = Index::State::claimed;
    }
    Claim(Claim&& other) noexcept;
    Claim& operator=(Claim&&) = delete;
    /// If nothing was kept, the index is missing again, and another thread may claim it.
    ~Claim() {
      if (cache_) cache_->give_up(*index_);
    }

    ByteRange range() const { return range_; }  ///< where the index is in the shard's value
    bool is_of_inner_shard() const { return level_ > 0; }

    /// Memory for `bytes` bytes of the stored index.
    std::vector<ShardEntry> room(std::size_t bytes) const { return detail::room_for_index(format(), bytes); }

    /// The room begins with `bytes` bytes of the stored index; nullopt: the shard does not exist. Throws: CodecError,
    /// if they are no such index.
    void keep(std::vector<ShardEntry> room, std::optional<std::size_t> bytes, Queue<Host>& on);
    /// The same for bytes that lie elsewhere.
    void keep(std::optional<ByteView<Host>> bytes, Queue<Host>& on);

   private:
    ShardIndexFormat const& format() const { return *cache_->grid_.levels()[level_].index; }

    ShardIndexCache* cache_;  // null: the claim has ended
    std::shared_ptr<Shard> shard_;
    Index* index_;
    std::size_t level_;
    ByteRange range_;
  };

  /// Where a chunk is, as far as it is known.
  struct Location {
    bool is_known = false;             ///< false: an index is missing
    std::optional<ByteRange> chunk{};  ///< in the shard's value, if it is known; nullopt: it is missing
    std::optional<Claim> claim{};      ///< on the missing index; nullopt: another thread reads it
  };

  /// Keeps at most `most` bytes of indexes, or a single shard's.
  ShardIndexCache(std::vector<ShardLevel> const& levels, std::uint64_t most) : grid_{levels}, most_{most} {}

  ShardGrid const& grid() const { return grid_; }

  /// The kept Shard of a key; a new one, if that is not of the version `seen`, or, without `seen`, if `changes` reports
  /// a change.
  std::shared_ptr<Shard> open(Key const& key, SequenceCounter const& changes, ValueVersion const* seen = nullptr);

  /// Where a chunk of the shard is. A caller that gets a claim reads the index, keeps it and asks again. With a claim
  /// it must not wait, or threads might wait in a circle. Throws: CodecError, if an index is not valid.
  Location find(std::shared_ptr<Shard> const& shard, Extents const& chunk) {
    std::lock_guard lock{mutex_};
    auto const path = descend(*shard, chunk);
    if (!path.missing) return {true, path.chunk, {}};
    if (path.missing->state == Index::State::claimed) return {};
    auto const& format = *grid_.levels()[path.level].index;
    auto const range = path.level == 0 ? format.range() : range_in(path.place, format);
    Location location;
    location.claim.emplace(*this, shard, *path.missing, path.level, range);
    return location;
  }

  /// Waits while another thread, which may have another `stop`, reads the index that `find` misses. Throws: Cancelled.
  void wait(Shard& shard, Extents const& chunk, Stop stop = nullptr);

  void forget(Key const& shard);

  /// Bytes of kept indexes.
  std::uint64_t size() const;

 private:
  using Order = std::list<std::shared_ptr<Shard>>;

  // The way from the outermost index towards a chunk, up to the first missing index.
  struct Path {
    Index* missing = nullptr;
    std::size_t level = 0;             // of the missing one
    ShardEntry place{};                // the shard of that index; the size of the outermost is unknown
    std::optional<ByteRange> chunk{};  // if nothing is missing
  };
  Path descend(Shard& shard, Extents const& chunk) const;
  static ByteRange range_in(ShardEntry const& place, ShardIndexFormat const& format);

  // End a claim.
  void give_up(Index& index);
  void keep(Shard& shard, Index& index, std::vector<ShardEntry> entries);

  void evict() {
    while (size_ > most_ && order_.size() > 1) drop(std::prev(order_.end()));
  }
  void drop(Order::iterator shard);

  ShardGrid grid_;
  std::uint64_t const most_;  // bytes
  mutable std::mutex mutex_;  // guards the members below, and shards
  std::condition_variable claims_ended_;
  std::uint64_t size_ = 0;
  Order order_;  // most recently used first
  std::unordered_map<std::string, Order::iterator> known_;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/shard/detail/index_cache.ipp>
#endif
