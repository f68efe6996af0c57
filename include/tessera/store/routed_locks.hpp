// The locks of two stores that keep a key in either of them.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <tessera/key/key.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/key_lock.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A key is locked in both stores, behind a mutex of this process, in an order that is the same whichever of the two is
/// called the first: by their names, and by their locks' addresses where both have one name, as stores in memory do,
/// which no other process shares. Who writes a value and erases the other store's holds the lock, be it his own already
/// or taken for that.
class RoutedLocks : KeyLock::Owner {
 public:
  template <class First, class Second>
  KeyLock lock(First const& first, Second const& second, Key const& key) {
    auto mutex = keys.lock(key);
    auto const number = KeyLocks::number(key);
    auto& held = held_[number];
    if (!held) held = std::make_unique<Held>();
    comes_first(first, second, key) ? held->take(first, second, key) : held->take(second, first, key);
    threads_[number].store(std::this_thread::get_id());
    return {std::move(mutex), *this, number};
  }
  /// Of nothing, where this thread has it.
  template <class First, class Second>
  KeyLock lock_unless_held(First const& first, Second const& second, Key const& key) {
    if (threads_[KeyLocks::number(key)].load() == std::this_thread::get_id()) return {};
    return lock(first, second, key);
  }

  KeyLocks keys;  ///< also of a store that has none of its own

 private:
  struct Held {
    std::optional<KeyLock> one{}, other{};

    template <class One, class Other>
    void take(One const& before, Other const& after, Key const& key) {
      one.emplace(lock_of(before, key));
      try {
        other.emplace(lock_of(after, key));
      } catch (...) {
        one.reset();
        throw;
      }
    }
    void reset() {
      other.reset();
      one.reset();
    }
  };

  template <class First, class Second>
  bool comes_first(First const& first, Second const& second, Key const& key) {
    auto const one = name_of(first), other = name_of(second);
    if (one != other) return one < other;
    return std::less<>{}(&changes_of(first, key, keys), &changes_of(second, key, keys));
  }

  void unlock_key(std::size_t number) noexcept override {
    threads_[number].store({});
    held_[number]->reset();
  }

  std::array<std::atomic<std::thread::id>, KeyLocks::count> threads_{};
  std::array<std::unique_ptr<Held>, KeyLocks::count> held_;  // made when first locked
};

}}}  // namespace tessera::v0::detail
