// KeyLock: excludes concurrent updates (read, change, write back) of a key. FolderLock: excludes concurrent changes of
// what is below a folder: an array's shape, a node made or erased. SequenceCounter: tells a reader whether a value was
// replaced between its calls.
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
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/store/detail/waiting.hpp>

namespace tessera { inline namespace v0 {

/// Whether a lock of a folder is shared with other holders, or exclusive.
enum class Sharing { shared, alone };

/// A lock of a folder; the destructor releases it. A default-constructed one locks nothing. Must not outlive its store.
class FolderLock {
 public:
  /// The object whose `unlock_folder` the destructor calls, with the handle.
  struct Owner {
    virtual void unlock_folder(std::intptr_t handle, Sharing sharing) noexcept = 0;

   protected:
    ~Owner() = default;
  };

  FolderLock() = default;
  FolderLock(Owner& owner, std::intptr_t handle, Sharing sharing)
      : owner_{&owner}, handle_{handle}, sharing_{sharing} {}
  FolderLock(FolderLock&& other) noexcept
      : owner_{std::exchange(other.owner_, nullptr)}, handle_{other.handle_}, sharing_{other.sharing_} {}
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock() {
    if (owner_) owner_->unlock_folder(handle_, sharing_);
  }

  /// Whether it locks anything.
  explicit operator bool() const { return owner_ != nullptr; }

 private:
  Owner* owner_ = nullptr;
  std::intptr_t handle_ = 0;
  Sharing sharing_ = Sharing::alone;
};

namespace detail {

/// The store's lock, if any: against all users of the folder, in this process and in others.
template <class S>
FolderLock lock_folder([[maybe_unused]] S const& store, [[maybe_unused]] std::string_view path,
                       [[maybe_unused]] Sharing sharing, [[maybe_unused]] Stop stop = nullptr) {
  if constexpr (requires { store.lock_folder(path, sharing, stop); })
    return store.lock_folder(path, sharing, stop);
  else if constexpr (requires { store.lock_folder(path, sharing); })
    return store.lock_folder(path, sharing);
  else
    return {};
}

}  // namespace detail

/// Counts replacements of a value that is read in parts: the parts are of one value if the count did not change since
/// before the first read.
class SequenceCounter {
 public:
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};  ///< the count while a value is being replaced

  /// For `none_since`; `unknown` while a value is being replaced.
  std::uint64_t sequence() const;
  /// Whether no replacement began since `sequence()` returned this number.
  bool none_since(std::uint64_t sequence) const { return begun_.load() == sequence; }

  /// Calls `replace`, which may replace a value. Thread-safe.
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

/// A lock of a key, held while its value is read, changed and written back; the destructor releases it. Must not
/// outlive its store; destroy it in the thread that took it.
class KeyLock {
 public:
  /// The object whose `unlock_key` the destructor calls before it unlocks the mutex, with the number.
  struct Owner {
    virtual void unlock_key(std::size_t number) noexcept = 0;

   protected:
    ~Owner() = default;
  };

  KeyLock() = default;
  KeyLock(std::unique_lock<std::mutex> mutex) : mutex_{std::move(mutex)} {}
  /// The destructor calls `owner.unlock_key(number)` before it unlocks the mutex.
  KeyLock(std::unique_lock<std::mutex> mutex, Owner& owner, std::size_t number)
      : mutex_{std::move(mutex)}, owner_{&owner}, number_{number} {}
  KeyLock(KeyLock&& other) noexcept
      : mutex_{std::move(other.mutex_)}, owner_{std::exchange(other.owner_, nullptr)}, number_{other.number_} {}
  KeyLock& operator=(KeyLock&&) = delete;
  ~KeyLock() {
    if (owner_) owner_->unlock_key(number_);
  }

  /// The mutex for threads of this process; keys may share it.
  std::mutex* mutex() const { return mutex_.mutex(); }

 private:
  std::unique_lock<std::mutex> mutex_;
  Owner* owner_ = nullptr;
  std::size_t number_ = 0;
};

/// Locks of keys and folders, for the copies of a store to share. Several keys may share a mutex, so hold one lock at a
/// time.
class KeyLocks : FolderLock::Owner {
 public:
  static constexpr std::size_t count = 64;  ///< mutexes
  /// The number of a key's mutex.
  static std::size_t number(Key const& key) { return std::hash<std::string>{}(key.path) % count; }

  /// Throws: Cancelled, if it has to wait and `stop` becomes true.
  std::unique_lock<std::mutex> lock(Key const& key, Stop stop = nullptr) {
    return detail::lock_mutex(mutexes_[number(key)], stop);
  }
  /// Locks all keys, for operations that change many at once.
  std::vector<std::unique_lock<std::mutex>> lock_all();
  /// Throws: Cancelled, if it has to wait and `stop` becomes true.
  FolderLock lock_folder(std::string_view path, Sharing sharing, Stop stop = nullptr);
  /// Counts changes of this key and some others.
  SequenceCounter& changes(Key const& key) { return changes_[number(key)]; }

 private:
  void unlock_folder(std::intptr_t handle, Sharing sharing) noexcept override;

  std::array<std::mutex, count> mutexes_;
  std::array<SequenceCounter, count> changes_;
  std::mutex mutex_;
  std::map<std::string, std::shared_mutex, std::less<>> folders_;  // every folder ever locked
};

namespace detail {

// Held while a value is read, changed and written back; locks nothing if the store has no locks. A `lock` that accepts
// a Stop checks it while waiting.
template <class S>
auto lock_of([[maybe_unused]] S const& store, [[maybe_unused]] Key const& key, [[maybe_unused]] Stop stop = nullptr) {
  if constexpr (requires { store.lock(key, stop); })
    return store.lock(key, stop);
  else if constexpr (requires { store.lock(key); })
    return store.lock(key);
  else
    return std::unique_lock<std::mutex>{};
}
// Uses `otherwise` if the store has no locks.
template <class S>
auto lock_of(S const& store, Key const& key, [[maybe_unused]] KeyLocks& otherwise, Stop stop = nullptr) {
  if constexpr (requires { store.lock(key); })
    return lock_of(store, key, stop);
  else
    return otherwise.lock(key, stop);
}

// Uses `otherwise` if the store has no counters.
template <class S>
SequenceCounter& changes_of(S const& store, Key const& key, [[maybe_unused]] KeyLocks& otherwise) {
  if constexpr (requires { store.changes(key); })
    return store.changes(key);
  else
    return otherwise.changes(key);
}

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/locks.ipp>
#endif
