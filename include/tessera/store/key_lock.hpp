// Keeps updates of one key apart: reading a value, changing part of it and writing it back.
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>

#include <tessera/key/key.hpp>

namespace tessera::inline v0 {

/// What the copies of a store share. Keys may share a mutex, so hold one lock at a time.
class KeyLocks {
 public:
  std::unique_lock<std::mutex> lock(Key const& key) {
    return std::unique_lock{mutexes_[std::hash<std::string>{}(key.path) % mutexes_.size()]};
  }

 private:
  std::array<std::mutex, 64> mutexes_;
};

namespace detail {

// Held while a value is read, changed and written back; of nothing, where the store has no locks.
template <class S>
auto lock_of([[maybe_unused]] S const& store, [[maybe_unused]] Key const& key) {
  if constexpr (requires { store.lock(key); })
    return store.lock(key);
  else
    return std::unique_lock<std::mutex>{};
}
// Of `otherwise`, where the store has none.
template <class S>
auto lock_of(S const& store, Key const& key, [[maybe_unused]] KeyLocks& otherwise) {
  if constexpr (requires { store.lock(key); })
    return store.lock(key);
  else
    return otherwise.lock(key);
}

}  // namespace detail
}  // namespace tessera::inline v0
