// Keeps updates of one key apart: reading a value, changing part of it and writing it back. And tells those who read a
// value by several calls whether it was replaced meanwhile.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/key/key.hpp>
#include <tessera/store/folder_lock.hpp>

namespace tessera { inline namespace v0 {

/// Counts how often a value was replaced that is read in parts: those parts are of one value, if nothing changed since
/// the moment before the first of them.
class SequenceCounter {
 public:
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};

  /// Now, for `none_since`; `unknown`, while a value is being replaced.
  std::uint64_t sequence() const {
    auto const ended = ended_.load();  // first: if as many have begun afterwards, none was under way between the two
    return begun_.load() == ended ? ended : unknown;
  }
  bool none_since(std::uint64_t sequence) const { return begun_.load() == sequence; }

  /// Calls `replace`, which may replace a value. For any thread.
  template <class F>
  void during(F&& replace) {
    struct End {
      std::atomic<std::uint64_t>& ended;
      ~End() { ++ended; }
    };
    ++begun_;
    End const end{ended_};
    replace();
  }

 private:
  std::atomic<std::uint64_t> begun_{0}, ended_{0};
};

/// The lock of a key, held while its value is read, changed and written back. It does not outlive the store that gave
/// it, and ends in the thread that took it.
class KeyLock {
 public:
  struct Owner {
    virtual void unlock_key(std::size_t number) noexcept = 0;

   protected:
    ~Owner() = default;
  };

  KeyLock() = default;
  KeyLock(std::unique_lock<std::mutex> mutex) : mutex_{std::move(mutex)} {}
  /// `owner` hears of its end.
  KeyLock(std::unique_lock<std::mutex> mutex, Owner& owner, std::size_t number)
      : mutex_{std::move(mutex)}, owner_{&owner}, number_{number} {}
  KeyLock(KeyLock&& other) noexcept
      : mutex_{std::move(other.mutex_)}, owner_{std::exchange(other.owner_, nullptr)}, number_{other.number_} {}
  KeyLock& operator=(KeyLock&&) = delete;
  ~KeyLock() {
    if (owner_) owner_->unlock_key(number_);
  }

  /// The threads of a process wait for it; keys may share it.
  std::mutex* mutex() const { return mutex_.mutex(); }

 private:
  std::unique_lock<std::mutex> mutex_;
  Owner* owner_ = nullptr;
  std::size_t number_ = 0;
};

/// What the copies of a store share. Keys may share a mutex, so hold one lock at a time.
class KeyLocks : FolderLock::Owner {
 public:
  static constexpr std::size_t count = 64;
  /// Of a key's mutex.
  static std::size_t number(Key const& key) { return std::hash<std::string>{}(key.path) % count; }

  std::unique_lock<std::mutex> lock(Key const& key) { return std::unique_lock{mutexes_[number(key)]}; }
  FolderLock lock_folder(std::string_view path, Sharing sharing) {
    std::unique_lock known{mutex_};
    auto found = folders_.find(path);
    if (found == folders_.end()) found = folders_.try_emplace(std::string{path}).first;
    auto& folder = found->second;
    known.unlock();
    sharing == Sharing::shared ? folder.lock_shared() : folder.lock();
    return {*this, reinterpret_cast<std::intptr_t>(&folder), sharing};
  }
  /// Of the values of this key and some others.
  SequenceCounter& changes(Key const& key) { return changes_[number(key)]; }

 private:
  void unlock_folder(std::intptr_t handle, Sharing sharing) noexcept override {
    auto& folder = *reinterpret_cast<std::shared_mutex*>(handle);
    sharing == Sharing::shared ? folder.unlock_shared() : folder.unlock();
  }

  std::array<std::mutex, count> mutexes_;
  std::array<SequenceCounter, count> changes_;
  std::mutex mutex_;
  std::map<std::string, std::shared_mutex, std::less<>> folders_;  // those that were ever locked
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

// Likewise.
template <class S>
SequenceCounter& changes_of(S const& store, Key const& key, [[maybe_unused]] KeyLocks& otherwise) {
  if constexpr (requires { store.changes(key); })
    return store.changes(key);
  else
    return otherwise.changes(key);
}

}  // namespace detail
}}  // namespace tessera::v0
