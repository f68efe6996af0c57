// The locks of two stores that keep a key in either of them.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <tessera/key/key.hpp>
#include <tessera/store/key_lock.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A key is locked in both stores, the first one's before the second one's, behind a mutex of this process. Who writes
/// a value and erases the other store's holds the lock, be it his own already or taken for that.
class RoutedLocks : KeyLock::Owner {
 public:
  template <class First, class Second>
  KeyLock lock(First const& first, Second const& second, Key const& key) {
    auto mutex = keys.lock(key);
    auto const number = KeyLocks::number(key);
    auto& held = held_[number];
    if (!held) held = std::make_unique<Held>();
    held->first.emplace(lock_of(first, key));
    try {
      held->second.emplace(lock_of(second, key));
    } catch (...) {
      held->first.reset();
      throw;
    }
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
    std::optional<KeyLock> first{}, second{};
  };

  void unlock_key(std::size_t number) noexcept override {
    threads_[number].store({});
    held_[number]->second.reset();
    held_[number]->first.reset();
  }

  std::array<std::atomic<std::thread::id>, KeyLocks::count> threads_{};
  std::array<std::unique_ptr<Held>, KeyLocks::count> held_;  // made when first locked
};

}}}  // namespace tessera::v0::detail
