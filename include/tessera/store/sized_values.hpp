// Values that are in one of two stores, by their size: found while they move, and in one of them when they have moved.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/key/key.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/routed_batch.hpp>
#include <tessera/store/routed_locks.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A value is written to where it belongs before the other store loses it. So who finds it in neither store, and then
/// not in the first one again, has missed no move of it, unless it moved back meanwhile. Of this process's moves the
/// counters tell that too, of some keys each: one counter of all keys would have him look for as long as anything is
/// written. Shared by the copies of a RoutedStore.
class SizedValues {
 public:
  RoutedLocks locks;

  /// What f(store) finds of a key, in whichever store.
  template <class First, class Second, class F>
  auto find(First const& first, Second const& second, Key const& key, F&& f) const {
    for (auto const& moves = moves_[KeyLocks::number(key)];;) {
      auto const before = moves.sequence();
      if (auto found = f(first)) return found;
      if (auto found = f(second)) return found;
      auto found = f(first);
      if (found || moves.none_since(before)) return found;
    }
  }

  template <class First, class Second, class Request, class Queue>
  void get_many(First const& first, Second const& second, std::span<Request> requests, Queue& on) const {
    auto const batch = on.host().template lease<RoutedBatch<Request>>();
    auto const before = sequences();
    auto const look_for_missing = [&](auto const& store) {
      batch->split(requests, [](Request const& request) { return request.size.has_value(); });
      batch->second([&](std::span<Request> missing) { tessera::get_many(store, missing, on); });
      batch->answer(requests);
    };
    tessera::get_many(first, requests, on);
    look_for_missing(second);
    look_for_missing(first);
    batch->split(requests, [&](Request const& request) {
      auto const number = KeyLocks::number(*request.key);
      return request.size || moves_[number].none_since(before[number]);
    });
    batch->second([&](std::span<Request> missing) { get_many(first, second, missing, on); });
    batch->answer(requests);
  }

  template <class First, class Second, MemorySpace S, class Queue>
  void write(First const& first, Second const& second, Key const& key, ByteView<S> value, bool to_first, Queue& on) {
    auto const lock = locks.lock_unless_held(first, second, key);
    auto const move = [&](auto const& to, auto const& from) {
      to.write(key, value, on);
      moves_[KeyLocks::number(key)].during([&] { from.erase(key, on); });
    };
    to_first ? move(first, second) : move(second, first);
  }
  template <class First, class Second, class Queue>
  bool erase(First const& first, Second const& second, Key const& key, Queue& on) {
    auto const lock = locks.lock_unless_held(first, second, key);
    bool const was_second = second.erase(key, on);  // which the first one's hides
    return first.erase(key, on) || was_second;
  }

 private:
  using Sequences = std::array<std::uint64_t, KeyLocks::count>;
  Sequences sequences() const {
    Sequences result;
    for (std::size_t i = 0; i < moves_.size(); ++i) result[i] = moves_[i].sequence();
    return result;
  }

  std::array<SequenceCounter, KeyLocks::count> moves_;  // from one store to the other
};

}}}  // namespace tessera::v0::detail
