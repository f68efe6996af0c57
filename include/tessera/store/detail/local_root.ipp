#pragma once
#include <tessera/store/detail/local_root.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <sys/file.h>
#include <sys/stat.h>

#include <tessera/store/detail/local_options.hpp>
#include <tessera/store/detail/posix/file_lock.hpp>
#include <tessera/store/detail/posix/files.hpp>
#include <tessera/store/detail/posix/watch.hpp>
#include <tessera/store/detail/scheme.hpp>
#include <tessera/store/detail/value_watch.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL KeyLock LocalLocks::lock(Key const& key, posix::Folder const* root, posix::Waiting const& waiting) {
  auto mutex = threads_.lock(key, waiting.stop);
  auto const number = KeyLocks::number(key);
  auto& held = held_[number];
  if (!held) held = std::make_unique<Held>();
  held->path = key.path;  // first: it may throw, and would leave the file locked
  held->file = take(key, root, waiting);
  threads_with_file_[number].store(std::this_thread::get_id());
  return {std::move(mutex), *this, number};
}

TESSERA_DECL FolderLock LocalLocks::lock_folder(std::string const& path, Sharing sharing, posix::Folder const& root,
                                                posix::Waiting const& waiting) {
  struct stat of {};
  auto const thread = std::this_thread::get_id();
  auto const is_mine = [&](struct stat const& status) {
    of = status;
    std::lock_guard lock{folders_mutex_};
    return std::any_of(folders_.begin(), folders_.end(), [&](HeldFolder const& held) {
      return held.by == thread && held.device == status.st_dev && held.inode == status.st_ino;
    });
  };
  auto folder = posix::lock_folder(root, path, sharing == Sharing::shared ? LOCK_SH : LOCK_EX, waiting, is_mine);
  if (!folder) return {};
  std::lock_guard lock{folders_mutex_};
  folders_.push_back({folder.descriptor().number(), of.st_dev, of.st_ino, thread});
  return {*this, folder.release(), sharing};
}

TESSERA_DECL posix::LockedFile LocalLocks::take(Key const& key, posix::Folder const* root,
                                                posix::Waiting const& waiting) {
  posix::Parts const at{key.path};
  auto const folder = root ? root->find(at.folder, posix::pass | O_DIRECTORY) : std::nullopt;
  return folder ? posix::LockedFile::take(folder->number(), at.name, &waiting) : posix::LockedFile{};
}

TESSERA_DECL void LocalLocks::unlock_key(std::size_t number) noexcept {
  threads_with_file_[number].store({});
  held_[number]->file.reset();
}

TESSERA_DECL void LocalLocks::unlock_folder(std::intptr_t handle, Sharing) noexcept {
  {
    std::lock_guard lock{folders_mutex_};
    std::erase_if(folders_, [&](HeldFolder const& held) { return held.file == handle; });
  }
  posix::Locked const ends{posix::Descriptor{static_cast<int>(handle)}};
}

TESSERA_DECL LocalRoot::LocalRoot(std::string path_, LocalOptions options_)
    : path{std::move(path_)}, options{options_} {
  expect_path(path);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path.empty()) path.push_back('.');  // g++ 12 mistakes an assignment for an overlap
}

TESSERA_DECL std::shared_ptr<posix::Folder const> LocalRoot::folder(posix::Folder const* gone) {
  std::lock_guard lock{mutex_};
  if (folder_.get() == gone) {
    folder_.reset();
    if (auto opened = posix::Folder::open(path, options.links))
      folder_ = std::make_shared<posix::Folder const>(std::move(*opened));
  }
  return folder_;
}

TESSERA_DECL bool LocalRoot::is_unchanged(std::intptr_t handle, ValueVersion const& seen) const {
  auto const file = posix::Descriptor::lent(static_cast<int>(handle));
  return posix::is_unchanged(file.status(), seen);
}

TESSERA_DECL void LocalRoot::unwatch(std::intptr_t handle) noexcept {
  posix::Descriptor const ends{static_cast<int>(handle)};
}

TESSERA_DECL std::shared_ptr<posix::Folder const> LocalRoot::current() {
  auto found = folder();
  return found && found->was_erased() ? folder(found.get()) : found;
}

TESSERA_DECL std::shared_ptr<posix::Folder const> LocalRoot::make() {
  auto found = current();
  if (found) return found;
  posix::make_folders(path, options.fsync);
  if (!(found = folder())) posix::fail("open the folder", ENOENT);
  return found;
}

TESSERA_DECL posix::Waiting LocalRoot::waiting(Stop stop) const { return {stop, options.patience}; }

}}}  // namespace tessera::v0::detail
