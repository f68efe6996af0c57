// Values that were used last, within a budget of bytes.
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
#include <tessera/store/watch.hpp>

namespace tessera { inline namespace v0 {

/// What a CachedStore did since it was made, and what it has now.
struct CachedStoreStatistics {
  std::uint64_t hits = 0;    ///< reads of what was kept
  std::uint64_t misses = 0;  ///< reads of the store behind it that gave bytes
  std::uint64_t bytes = 0;   ///< of what is kept, and of what is being read: within the budget
};

namespace detail {

/// For any thread.
template <AllocatableBuffer B>
class RecentValues {
  using Queue = queue_for<typename B::space_type>;

 public:
  struct Name {
    std::string path;
    std::uint64_t offset, size;  // of the range, as it was asked for
    bool from_end;
    int device;
    friend auto operator<=>(Name const&, Name const&) = default;
  };
  using Ready = decltype(std::declval<Queue&>().record());
  struct Value {
    std::optional<B> buffer{};
    std::shared_ptr<Ready const> ready{};  // of all that were read at once; readers have queues of their own
  };
  using Shared = std::shared_ptr<Value>;

  /// Bytes of the budget, for a value that is being read.
  class Room {
   public:
    explicit Room(RecentValues& of) : of_{of} {}
    Room(Room const&) = delete;
    ~Room() { of_.give_back(bytes_); }
    /// If the budget has them: what was used least recently goes.
    void take(std::uint64_t bytes) { bytes_ = of_.take(bytes); }

   private:
    friend RecentValues;
    RecentValues& of_;
    std::uint64_t bytes_ = 0;
  };

  explicit RecentValues(std::uint64_t budget) : budget_{budget} {}

  /// Null: it has none, or another version.
  Shared find(Name const& name, ValueVersion const& version) {
    std::lock_guard lock{mutex_};
    auto const found = places_.find(name);
    if (found == places_.end() || !found->second->version.is_same(version)) return nullptr;
    kept_.splice(kept_.end(), kept_, found->second);
    ++counted_.hits;
    return found->second->value;
  }
  /// If there was room for it.
  void keep(Name name, ValueVersion const& version, Shared value, Room& room) {
    if (room.bytes_ == 0) return;
    std::list<Kept> gone, added;  // what goes gives its memory back without the lock
    added.push_back({version, std::move(value), room.bytes_, nullptr});
    std::lock_guard lock{mutex_};
    auto const [place, is_new] = places_.try_emplace(std::move(name), added.begin());
    if (!is_new) take_out(std::exchange(place->second, added.begin()), gone);  // another version, or another reader's
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
    if (counted_.bytes + bytes > budget_) return 0;  // others are being read
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
  std::list<Kept> kept_;  // from the least recently used on
  std::map<Name, Place> places_;
  CachedStoreStatistics counted_;
};

}  // namespace detail
}}  // namespace tessera::v0
