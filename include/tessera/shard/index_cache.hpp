// Indexes of shards that were read, each once: where the inner chunks of an array are.
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
#include <tessera/core/text.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/pipeline/shard_index.hpp>
#include <tessera/shard/grid.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/watch.hpp>

namespace tessera { inline namespace v0 {

/// Threads share it. It keeps the indexes that were asked for last, and reads none: who is told that one is missing
/// reads it and gives its bytes, while others that need it wait.
class ShardIndexCache {
  using Host = space::Host;

  struct Index {
    enum class State { missing, claimed, there };
    State state = State::missing;
    std::vector<ShardEntry> entries{};                                  // none: there is no shard
    std::unordered_map<std::uint64_t, std::unique_ptr<Index>> inner{};  // of the shards in it, by their entries
  };

 public:
  /// What is known of one value of a shard. Who has it keeps it, whatever the cache forgets.
  class Shard {
   public:
    Shard(std::string key, std::uint64_t sequence, ValueVersion const* seen)
        : key_{std::move(key)}, sequence_{sequence}, size_{sizeof(Shard) + 2 * key_.size()} {
      if (seen) seen_ = *seen;
    }

    /// From before any of it was read: if there are no changes since, all of it is of one value.
    std::uint64_t sequence() const { return sequence_; }

   private:
    friend ShardIndexCache;
    std::string const key_;
    std::uint64_t const sequence_;
    std::uint64_t size_;  // bytes, with the shards in it
    std::optional<ValueVersion> seen_{};
    Index outermost_{};
  };

  /// An index that is missing, for the one thread that reads it.
  class Claim {
   public:
    Claim(ShardIndexCache& cache, std::shared_ptr<Shard> shard, Index& index, std::size_t level, ByteRange range)
        : cache_{&cache}, shard_{std::move(shard)}, index_{&index}, level_{level}, range_{range} {
      index.state = Index::State::claimed;
    }
    Claim(Claim&& other) noexcept
        : cache_{std::exchange(other.cache_, nullptr)},
          shard_{std::move(other.shard_)},
          index_{other.index_},
          level_{other.level_},
          range_{other.range_} {}
    Claim& operator=(Claim&&) = delete;
    /// If nothing was kept the index is missing again, and another thread may claim it.
    ~Claim() {
      if (cache_) cache_->give_up(*index_);
    }

    ByteRange range() const { return range_; }  ///< where the index is in the shard's value
    bool is_of_inner_shard() const { return level_ > 0; }

    /// The bytes that are there; nullopt: there is no shard. Throws: CodecError, if they are not such an index.
    void keep(std::optional<ByteView<Host>> bytes, Queue<Host>& on) {
      auto const& format = *cache_->grid_.levels()[level_].index;
      std::vector<ShardEntry> entries;
      if (bytes) {
        if (bytes->size != format.size())
          throw CodecError{text({"the shard's index: found ", bytes->size, " bytes, expected ", format.size()})};
        entries.resize(format.entries());
        format.decode(*bytes, entries, on);
      }
      std::exchange(cache_, nullptr)->keep(*shard_, *index_, std::move(entries));
    }

   private:
    ShardIndexCache* cache_;  // null: there is nothing to end
    std::shared_ptr<Shard> shard_;
    Index* index_;
    std::size_t level_;
    ByteRange range_;
  };

  /// Where a chunk is, as far as it is known.
  struct Location {
    bool is_known = false;             ///< else an index is missing
    std::optional<ByteRange> chunk{};  ///< in the shard's value, if it is known; nullopt: it is missing
    std::optional<Claim> claim{};      ///< on the missing index; nullopt: somebody else reads it
  };

  /// Keeps so many bytes of indexes, or a single shard's.
  ShardIndexCache(std::vector<ShardLevel> const& levels, std::uint64_t most) : grid_{levels}, most_{most} {}

  ShardGrid const& grid() const { return grid_; }

  /// What is known of a shard, unless that is old: `changes` says so; or, if it is known which value was `seen`, it may
  /// be of another value.
  std::shared_ptr<Shard> open(Key const& key, SequenceCounter const& changes, ValueVersion const* seen = nullptr) {
    std::lock_guard lock{mutex_};
    if (auto const found = known_.find(key.path); found != known_.end()) {
      auto const& shard = **found->second;
      bool const is_same = seen ? shard.seen_ && shard.seen_->is_same(*seen) : changes.none_since(shard.sequence_);
      if (is_same) {
        order_.splice(order_.begin(), order_, found->second);
        return order_.front();
      }
      drop(found->second);
    }
    Order fresh;  // it becomes one of them when nothing throws any more
    fresh.push_front(std::make_shared<Shard>(key.path, changes.sequence(), seen));
    known_[key.path] = fresh.begin();
    order_.splice(order_.begin(), fresh);
    size_ += order_.front()->size_;
    evict();
    return order_.front();
  }

  /// Where a chunk of the shard is. Who gets a claim reads the index, keeps it and asks again. So that threads do not
  /// wait for each other in a circle, who holds a claim does not wait. Throws: CodecError, if an index says what cannot
  /// be.
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

  /// Waits while somebody else reads the index that `find` misses.
  void wait(Shard& shard, Extents const& chunk) {
    std::unique_lock lock{mutex_};
    claims_ended_.wait(lock, [&] {
      auto const* const missing = descend(shard, chunk).missing;
      return !missing || missing->state != Index::State::claimed;
    });
  }

  /// Forgets what it knows of a shard.
  void forget(Key const& shard) {
    std::lock_guard lock{mutex_};
    if (auto const found = known_.find(shard.path); found != known_.end()) drop(found->second);
  }

  /// Bytes of what it keeps.
  std::uint64_t size() const {
    std::lock_guard lock{mutex_};
    return size_;
  }

 private:
  using Order = std::list<std::shared_ptr<Shard>>;

  // From the outermost index towards a chunk, up to the first index that is not there.
  struct Path {
    Index* missing = nullptr;
    std::size_t level = 0;             // of the missing one
    ShardEntry place{};                // of the shard that it is of; of the outermost nobody knows how large it is
    std::optional<ByteRange> chunk{};  // if nothing is missing
  };
  Path descend(Shard& shard, Extents const& chunk) const {
    auto* index = &shard.outermost_;
    ShardEntry place{0, ShardEntry::none - 1};
    for (std::size_t level = 0;; ++level) {
      if (index->state != Index::State::there) return {index, level, place, {}};
      if (index->entries.empty()) return {};
      auto const number = grid_.entry(level, chunk);
      auto const entry = index->entries[number];
      entry.expect_within(place.size);
      if (entry.is_missing()) return {};
      place = {place.offset + entry.offset, entry.size};
      if (level + 1 == grid_.levels().size()) return {nullptr, level, place, ByteRange{place.offset, place.size}};
      auto& inner = index->inner[number];
      if (!inner) inner = std::make_unique<Index>();
      index = inner.get();
    }
  }
  static ByteRange range_in(ShardEntry const& place, ShardIndexFormat const& format) {
    if (place.size < format.size())
      throw CodecError{
          text({"an inner shard of ", place.size, " bytes, expected at least its index of ", format.size()})};
    return {format.at_start() ? place.offset : place.offset + place.size - format.size(), format.size()};
  }

  // The end of a claim.
  void give_up(Index& index) {
    std::lock_guard lock{mutex_};
    index.state = Index::State::missing;
    claims_ended_.notify_all();
  }
  void keep(Shard& shard, Index& index, std::vector<ShardEntry> entries) {
    std::lock_guard lock{mutex_};
    auto const size = sizeof(Index) + entries.capacity() * sizeof(ShardEntry);
    index.entries = std::move(entries);
    index.state = Index::State::there;
    shard.size_ += size;
    auto const found = known_.find(shard.key_);
    if (found != known_.end() && found->second->get() == &shard) size_ += size;  // else it was forgotten meanwhile
    evict();
    claims_ended_.notify_all();
  }

  // What was asked for least lately.
  void evict() {
    while (size_ > most_ && order_.size() > 1) drop(std::prev(order_.end()));
  }
  void drop(Order::iterator shard) {
    size_ -= (*shard)->size_;
    known_.erase((*shard)->key_);
    order_.erase(shard);
  }

  ShardGrid grid_;
  std::uint64_t const most_;  // bytes
  mutable std::mutex mutex_;  // of all that follows, and of shards
  std::condition_variable claims_ended_;
  std::uint64_t size_ = 0;
  Order order_;  // the one that was asked for last first
  std::unordered_map<std::string, Order::iterator> known_;
};

}}  // namespace tessera::v0
