// RecentValues: the most recently used values, within a budget of bytes.
#pragma once
#include <compare>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/store/detail/value_watch.hpp>

namespace tessera { inline namespace v0 {

/// Counts of a CachedStore so far, and its current size.
struct CachedStoreStatistics {
  std::uint64_t hits = 0;    ///< reads of cached values
  std::uint64_t misses = 0;  ///< reads of the source store that gave bytes
  std::uint64_t bytes = 0;   ///< of values cached and being read; within the budget
};

namespace detail {

/// Thread-safe.
template <AllocatableBuffer B>
class RecentValues {
  using Queue = queue_for<typename B::space_type>;

 public:
  struct Name {
    std::string path;
    std::uint64_t offset, size;  // of the range, as requested
    bool from_end;
    int device;
    friend auto operator<=>(Name const&, Name const&) = default;
  };
  using Ready = decltype(std::declval<Queue&>().record());
  struct Value {
    std::optional<B> buffer{};
    std::shared_ptr<Ready const> ready{};  // of a whole batch; readers may use other queues
  };
  using Shared = std::shared_ptr<Value>;

  /// Bytes of the budget, reserved for a value being read.
  class Room {
   public:
    explicit Room(RecentValues& of) : of_{of} {}
    Room(Room const&) = delete;
    ~Room() { of_.give_back(bytes_); }
    /// Reserves bytes if the budget allows; evicts the least recently used values.
    void take(std::uint64_t bytes) { bytes_ = of_.take(bytes); }

   private:
    friend RecentValues;
    RecentValues& of_;
    std::uint64_t bytes_ = 0;
  };

  explicit RecentValues(std::uint64_t budget) : budget_{budget} {}

  /// Null: not cached, or in another version.
  Shared find(Name const& name, ValueVersion const& version) {
    std::lock_guard lock{mutex_};
    auto const found = places_.find(name);
    if (found == places_.end() || !found->second->version.is_same(version)) return nullptr;
    kept_.splice(kept_.end(), kept_, found->second);
    ++counted_.hits;
    return found->second->value;
  }
  /// Does nothing without reserved bytes.
  void keep(Name name, ValueVersion const& version, Shared value, Room& room) {
    if (room.bytes_ == 0) return;
    std::list<Kept> gone, added;  // freed after the lock
    added.push_back({version, std::move(value), room.bytes_, nullptr});
    std::lock_guard lock{mutex_};
    auto const [place, is_new] = places_.try_emplace(std::move(name), added.begin());
    if (!is_new) take_out(std::exchange(place->second, added.begin()), gone);  // of another version or reader
    added.front().name = &place->first;
    kept_.splice(kept_.end(), added);
    room.bytes_ = 0;
  }
  void clear() {
    std::list<Kept> gone;
    std::lock_guard lock{mutex_};
    while (!kept_.empty()) drop_coldest(gone);
  }
  CachedStoreStatistics statistics() const {
    std::lock_guard lock{mutex_};
    return counted_;
  }

 private:
  struct Kept {
    ValueVersion version;
    Shared value;
    std::uint64_t bytes;
    Name const* name;
  };
  using Place = typename std::list<Kept>::iterator;

  std::uint64_t take(std::uint64_t bytes) {
    std::list<Kept> gone;
    std::lock_guard lock{mutex_};
    ++counted_.misses;
    if (bytes > budget_) return 0;
    while (!kept_.empty() && counted_.bytes + bytes > budget_) drop_coldest(gone);
    if (counted_.bytes + bytes > budget_) return 0;  // the rest is reserved
    counted_.bytes += bytes;
    return bytes;
  }
  void give_back(std::uint64_t bytes) {
    std::lock_guard lock{mutex_};
    counted_.bytes -= bytes;
  }
  void drop_coldest(std::list<Kept>& gone) {
    places_.erase(*kept_.front().name);
    take_out(kept_.begin(), gone);
  }
  void take_out(Place one, std::list<Kept>& gone) {
    counted_.bytes -= one->bytes;
    gone.splice(gone.end(), kept_, one);
  }

  std::uint64_t const budget_;
  mutable std::mutex mutex_;
  std::list<Kept> kept_;  // least recently used first
  std::map<Name, Place> places_;
  CachedStoreStatistics counted_;
};

}  // namespace detail
}}  // namespace tessera::v0
