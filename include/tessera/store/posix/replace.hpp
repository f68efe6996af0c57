// Values come and go: written under another name and renamed, appended to, erased; each while the file that is replaced
// is locked, so that no two processes replace the same one.
#pragma once
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/store/posix/empty_folders.hpp>
#include <tessera/store/posix/file_lock.hpp>
#include <tessera/store/posix/files.hpp>
#include <tessera/store/posix/folder.hpp>
#include <tessera/store/value_changed.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

/// As renameat, but an error, EEXIST, if there is something of that name.
inline int rename_new(int folder, char const* from, char const* to) {
#if defined(RENAME_NOREPLACE)
  if (::renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
#endif
  if (::linkat(folder, from, folder, to, 0) == 0) return ::unlinkat(folder, from, 0);
  if (errno == EEXIST) return -1;
  struct stat there {};  // a file system of neither: between the two another process can come
  if (::fstatat(folder, to, &there, AT_SYMLINK_NOFOLLOW) == 0) return errno = EEXIST, -1;
  return ::renameat(folder, from, folder, to);
}

/// Gives a file that was written a value's name. `held`: what the caller locked of that name; it takes the lock itself
/// if there is none. Throws: ValueChanged, if there is something else by now than what was locked.
inline void put_in_place(int folder, char const* from, char const* to, mode_t mode, LockedFile const* held) {
  for (int tries = 0; tries < 1000; ++tries) {
    if (held && !held->is_current(folder, to)) throw ValueChanged{};
    if (!held || !held->is_there()) {
      if (rename_new(folder, from, to) == 0) return;
      if (errno != EEXIST && errno != ENOTEMPTY) fail("rename the file");
      struct stat there {};
      if (::fstatat(folder, to, &there, AT_SYMLINK_NOFOLLOW) != 0) continue;  // it went again
      if (S_ISDIR(there.st_mode)) {
        if (!remove_empty(folder, to)) fail("rename the file", EISDIR);
        continue;
      }
      if (held) throw ValueChanged{};
    }
    auto const locked = held ? LockedFile{} : LockedFile::take(folder, to);
    auto const& old = held ? *held : locked;
    if (!old.is_there()) continue;
    if ((old.mode() & 07777) != (mode & 07777)) ::fchmodat(folder, from, old.mode() & 07777, 0);
    if (::renameat(folder, from, folder, to) == 0) return;
    if (errno != EISDIR) fail("rename the file");
  }
  fail("rename the file", EBUSY);
}

/// Sets what a file holds to what `fill(Descriptor const&)` writes into it. It is written under a name that begins with
/// `unfinished` and renamed: who reads finds the old bytes or the new, whatever happens. Empty folders that have the
/// file's name go. Until it has its name the new file is locked by who writes it: one that is not was left by somebody
/// who ended. `sync`: what was written outlasts a loss of power. `next` makes names differ. `held`: as put_in_place.
template <class Counter, class F>
void replace(Folder const& root, std::string const& path, std::string_view unfinished, Counter& next, bool sync,
             LockedFile const* held, F&& fill) {
  Parts const to{path};
  for (int tries = 0;;) {
    auto const made = root.make(to.folder, sync);
    auto const name = text({unfinished, ::getpid(), "-", next++});
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    errno = ENOENT;
    Descriptor opened{made ? ::openat(made->number(), name.c_str(), flags, 0666) : -1};
    if (!opened && errno == EEXIST) continue;                    // of a program that was killed
    if (!opened && errno == ENOENT && ++tries < 1000) continue;  // somebody erased the folder: it is made again
    if (!opened) fail("make a file");
    Locked const file{std::move(opened)};
    auto const& folder = *made;
    try {
      lock(file.descriptor().number(), LOCK_EX);  // who has it looks whether somebody left the file
      auto const info = file.descriptor().status();
      if (info.st_nlink == 0 && ++tries < 1000) continue;  // somebody took it for one that was left
      fill(file.descriptor());
      if (sync) file.descriptor().sync();
      Descriptor closing{::fcntl(file.descriptor().number(), F_DUPFD_CLOEXEC, 0)};  // the lock lasts
      if (!closing) fail("close the file");
      close(closing);
      put_in_place(folder.number(), name.c_str(), to.name, info.st_mode, held);
    } catch (...) {
      ::unlinkat(folder.number(), name.c_str(), 0);
      throw;
    }
    if (sync) folder.sync();
    return;
  }
}

/// Puts what `fill(Descriptor const&)` writes behind the `size` bytes of a file. False: it has another size, or is to
/// be replaced rather than changed, for it has other names, or somebody has it locked. What was written goes again if
/// not all of it can be. `held`: what the caller locked; it takes the lock itself if there is none.
template <class F>
bool append(Folder const& root, std::string const& path, std::uint64_t size, bool sync, LockedFile const* held,
            F&& fill) {
  Parts const at{path};
  auto const folder = root.find(at.folder, pass | O_DIRECTORY);
  if (!folder) return false;
  auto const locked = held ? LockedFile{} : LockedFile::take(folder->number(), at.name, LOCK_EX | LOCK_NB);
  auto found = root.find(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (!found || !(held ? *held : locked).is(*found)) return false;
  auto const info = found->status();
  if (!S_ISREG(info.st_mode) || info.st_nlink != 1 || static_cast<std::uint64_t>(info.st_size) != size) return false;
  try {
    fill(std::as_const(*found));
    if (sync) found->sync();
    close(*found);
  } catch (...) {
    if (*found && ::ftruncate(found->number(), static_cast<off_t>(size)) != 0)
      fail("take back what was written behind the value");
    throw;
  }
  return true;
}

/// Whether there was such a file. Folders that it leaves empty go too. `held`: as put_in_place.
inline bool erase(Folder const& root, std::string const& path, bool sync, LockedFile const* held) {
  Parts const file{path};
  auto const folder = root.find(file.folder, (sync ? read_only : pass) | O_DIRECTORY);
  if (!folder) return false;
  if (held && !held->is_current(folder->number(), file.name)) throw ValueChanged{};
  auto const locked = held ? LockedFile{} : LockedFile::take(folder->number(), file.name);
  if (!(held ? *held : locked).is_there()) return false;
  if (::unlinkat(folder->number(), file.name, 0) != 0) {
    if (errno == ENOENT || errno == ENOTDIR || errno == EISDIR) return false;
    fail("erase the file");
  }
  if (sync) folder->sync();
  // A folder that is empty now would stand in the way of a key of its name.
  for (auto emptied = file.folder; emptied != ".";) {
    Parts const at{emptied};
    auto const above = root.find(at.folder, pass | O_DIRECTORY);
    if (!above || ::unlinkat(above->number(), at.name, AT_REMOVEDIR) != 0) break;
    emptied = std::string{at.folder};
  }
  return true;
}

}  // namespace detail::posix
}}  // namespace tessera::v0
