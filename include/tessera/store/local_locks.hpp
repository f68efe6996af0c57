// The locks of a LocalStore: of the threads that share it, and of all who show the same files.
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

#include <sys/file.h>

#include <tessera/store/folder_lock.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/posix/file_lock.hpp>
#include <tessera/store/posix/files.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A key that is locked is locked twice: by a mutex, for which the threads of a store wait in few bytes, and in the
/// file system. What a thread writes under its own lock goes through `held`, for to lock the file again would be to
/// wait for itself.
class LocalLocks : KeyLock::Owner, FolderLock::Owner {
 public:
  /// `root` is null where there is no folder yet.
  KeyLock lock(Key const& key, posix::Folder const* root) {
    auto mutex = threads_.lock(key);
    auto const number = KeyLocks::number(key);
    auto& held = held_[number];
    if (!held) held = std::make_unique<Held>();
    held->path = key.path;  // first: it may throw, and a file that is left locked here would be waited for
    held->file = take(key, root);
    threads_with_file_[number].store(std::this_thread::get_id());
    return {std::move(mutex), *this, number};
  }

  /// Returns f(the file that this thread has locked of the key, or null): whether f changed it. Then it is another
  /// file, and what is done to the key afterwards takes a lock of its own.
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

  FolderLock lock_folder(std::string const& path, Sharing sharing, posix::Folder const& root) {
    auto folder = posix::lock_folder(root, path, sharing == Sharing::shared ? LOCK_SH : LOCK_EX);
    if (!folder) return {};
    return {*this, folder.release(), sharing};
  }

  SequenceCounter& changes(Key const& key) { return threads_.changes(key); }

 private:
  struct Held {
    std::string path{};
    std::optional<posix::LockedFile> file{};
  };

  static posix::LockedFile take(Key const& key, posix::Folder const* root) {
    posix::Parts const at{key.path};
    auto const folder = root ? root->find(at.folder, posix::pass | O_DIRECTORY) : std::nullopt;
    return folder ? posix::LockedFile::take(folder->number(), at.name) : posix::LockedFile{};
  }

  void unlock_key(std::size_t number) noexcept override {
    threads_with_file_[number].store({});
    held_[number]->file.reset();
  }
  void unlock_folder(std::intptr_t handle, Sharing) noexcept override {
    posix::Locked const ends{posix::Descriptor{static_cast<int>(handle)}};
  }

  KeyLocks threads_;
  std::array<std::atomic<std::thread::id>, KeyLocks::count> threads_with_file_{};
  std::array<std::unique_ptr<Held>, KeyLocks::count> held_;  // made when first locked: opening is not to pay for them
};

}}}  // namespace tessera::v0::detail
