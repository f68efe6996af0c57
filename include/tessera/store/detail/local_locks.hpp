// LocalLocks: the locks of a LocalStore, among its threads and among all users of its files.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>

#include <tessera/store/detail/posix/file_lock.hpp>
#include <tessera/store/detail/posix/files.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A key is locked twice: by a mutex, cheap for the threads of a store, and in the file system. The thread with the
/// lock writes through `held`: locking the file again would deadlock.
class LocalLocks : KeyLock::Owner, FolderLock::Owner {
 public:
  /// `root` is null if the folder does not exist yet.
  KeyLock lock(Key const& key, posix::Folder const* root, posix::Waiting const& waiting);

  /// Returns f(the key's file, if locked by this thread, or null): whether f changed it. The key then has another file,
  /// and later operations lock that themselves.
  template <class F>
  bool change(Key const& key, F&& f) {
    auto const number = KeyLocks::number(key);
    bool const is_mine = threads_with_file_[number].load() == std::this_thread::get_id();
    auto* const held = is_mine ? held_[number].get() : nullptr;
    if (!held || !held->file || held->path != key.path) return f(static_cast<posix::LockedFile const*>(nullptr));
    bool const is_changed = f(static_cast<posix::LockedFile const*>(&*held->file));
    if (is_changed) held->file.reset();
    return is_changed;
  }

  /// Locks nothing if this thread has locked the folder by another path, a link.
  FolderLock lock_folder(std::string const& path, Sharing sharing, posix::Folder const& root,
                         posix::Waiting const& waiting);

  SequenceCounter& changes(Key const& key) { return threads_.changes(key); }

 private:
  struct Held {
    std::string path{};
    std::optional<posix::LockedFile> file{};
  };

  struct HeldFolder {
    int file;
    dev_t device;
    ino_t inode;
    std::thread::id by;
  };

  static posix::LockedFile take(Key const& key, posix::Folder const* root, posix::Waiting const& waiting);
  void unlock_key(std::size_t number) noexcept override;
  void unlock_folder(std::intptr_t handle, Sharing) noexcept override;

  std::mutex folders_mutex_;
  std::vector<HeldFolder> folders_;
  KeyLocks threads_;
  std::array<std::atomic<std::thread::id>, KeyLocks::count> threads_with_file_{};
  std::array<std::unique_ptr<Held>, KeyLocks::count> held_;  // made on first lock, so that opening stays cheap
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/local_locks.ipp>
#endif
