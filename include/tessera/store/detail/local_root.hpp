// LocalRoot: the folder of a LocalStore, shared by its copies and opened on first use.
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
#include <utility>
#include <vector>

#include <sys/stat.h>

#include <tessera/store/detail/local_options.hpp>
#include <tessera/store/detail/posix/file_lock.hpp>
#include <tessera/store/detail/posix/files.hpp>
#include <tessera/store/detail/posix/watch.hpp>
#include <tessera/store/detail/value_watch.hpp>
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

struct LocalRoot final : ValueWatch::Owner {
  LocalRoot(std::string path_, LocalOptions options_);

  /// nullptr: missing, or `gone` and not yet replaced.
  std::shared_ptr<posix::Folder const> folder(posix::Folder const* gone = nullptr);
  bool is_unchanged(std::intptr_t handle, ValueVersion const& seen) const override;
  void unwatch(std::intptr_t handle) noexcept override;

  /// The folder that has the path now; nullptr: none.
  std::shared_ptr<posix::Folder const> current();

  /// The result of f in the folder; if empty and the folder was erased, in the one that now has its path.
  template <class F>
  auto find(F&& f) -> decltype(f(std::declval<posix::Folder const&>())) {
    auto const before = folder();
    if (!before) return {};
    auto found = f(*before);
    if (found || !before->was_erased()) return found;
    auto const after = folder(before.get());
    if (!after) return {};
    return f(*after);
  }

  std::shared_ptr<posix::Folder const> make();
  posix::Waiting waiting(Stop stop = nullptr) const;

  std::string path;
  LocalOptions options;
  LocalLocks locks;
  std::atomic<std::uint64_t> written{0};

 private:
  std::mutex mutex_;
  std::shared_ptr<posix::Folder const> folder_;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/local_root.ipp>
#endif
