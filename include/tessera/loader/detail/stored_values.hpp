// StoredValues: an array's store, with the values read last kept as they are stored.
// UnwatchedStore: a store whose values are taken to stay as they are, unless this process writes them.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <tessera/buffer/concept.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/store/cached_store.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/erased_store.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/store/detail/value_watch.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Only reads. Requires: what it was made of outlives it.
template <MemorySpace S>
class UnwatchedStore {
 public:
  using buffer_type = buffer_in_t<S>;

  /// `watches`: the store tells of changes, and its word is taken. `fetched` counts the bytes that it gives, `replaced`
  /// the watches of values that are being replaced.
  UnwatchedStore(ErasedStore<S> const& store, bool watches, std::atomic<std::uint64_t>& fetched,
                 std::atomic<std::uint64_t>& replaced)
      : store_{&store}, watches_{watches}, fetched_{&fetched}, replaced_{&replaced} {}

  std::string name() const { return store_->name(); }
  bool is_near() const { return store_->is_near(); }
  std::optional<std::uint64_t> size(Key const& key, queue_for<S>& on) const { return store_->size(key, on); }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<S> destination,
                                  queue_for<S>& on) const {
    return counted(store_->read(key, range, destination, on));
  }
  void get_many(std::span<ReadRequest<S>> requests, queue_for<S>& on) const {
    store_->get_many(requests, on);
    for (auto const& request : requests) counted(request.size);
  }
  KeyLock lock(Key const& key, Stop stop = nullptr) const { return store_->lock(key, stop); }
  SequenceCounter& changes(Key const& key) const { return store_->changes(key); }
  ValueWatch watch(Key const& key) const {
    if (watches_) return store_->watch(key);
    // With a kept index of a shard that was replaced since, chunks would be read from the places of others.
    auto const sequence = store_->changes(key).sequence();
    bool const is_settled = sequence != SequenceCounter::unknown;
    auto const unlike_others = is_settled ? 0 : ++*replaced_;
    constexpr auto unlike_store = ~std::uint64_t{0};  // whose versions the array's kept indexes may have
    return ValueWatch{
        {.numbers = {sequence, unlike_others, 0, unlike_store}, .is_there = true, .is_settled = is_settled}};
  }

 private:
  std::optional<std::size_t> counted(std::optional<std::size_t> size) const {
    *fetched_ += size.value_or(0);
    return size;
  }

  ErasedStore<S> const* store_;
  bool watches_;
  std::atomic<std::uint64_t>* fetched_;
  std::atomic<std::uint64_t>* replaced_;
};

/// Values in space S. The least recently used leave first.
template <MemorySpace S>
class StoredValues {
 public:
  /// `budget`: bytes. `watches`: as of UnwatchedStore. Requires: `store` outlives this.
  StoredValues(ErasedStore<S> const& store, bool watches, std::uint64_t budget)
      : kept_{UnwatchedStore<S>{store, watches, fetched_, replaced_}, budget}, erased_{kept_, locks_} {}
  StoredValues(StoredValues const&) = delete;

  ErasedStore<S> const& store() const { return erased_; }
  std::uint64_t hits() const { return kept_.statistics().hits; }
  std::uint64_t fetched() const { return fetched_; }  ///< bytes

 private:
  std::atomic<std::uint64_t> fetched_{0}, replaced_{0};
  KeyLocks locks_{};
  CachedStore<UnwatchedStore<S>> const kept_;
  ErasedStoreOf<CachedStore<UnwatchedStore<S>>> const erased_;
};

}}}  // namespace tessera::v0::detail
