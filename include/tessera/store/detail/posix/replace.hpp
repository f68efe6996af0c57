// replace, append, erase: change values, with the old file locked, so that no two processes replace the same one.
#pragma once
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/detail/posix/file_lock.hpp>
#include <tessera/store/detail/posix/folder.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

/// Gives a written file a value's name. `held`: the file that the caller locked at that name; null: locks it here.
/// Throws: ValueChanged, if the name has another file now.
TESSERA_DECL void put_in_place(int folder, char const* from, char const* to, mode_t mode, LockedFile const* held,
                         Waiting const& waiting);

/// Replaces a file's contents by the bytes that `fill(Descriptor const&)` writes, under a name that begins with
/// `unfinished`, and renames it: readers find the old bytes or the new, whatever happens. Removes empty folders with
/// the file's name. The writer locks the new file until it has its name: an unlocked one was left by a writer that
/// ended. `sync`: the bytes survive a loss of power. `next` makes names unique. `held`: as for put_in_place.
template <class Counter, class F>
void replace(Folder const& root, std::string const& path, std::string_view unfinished, Counter& next, bool sync,
             LockedFile const* held, Waiting const& waiting, F&& fill) {
  Parts const to{path};
  for (int tries = 0;;) {
    auto const made = root.make(to.folder, sync);
    auto const name = to_text({unfinished, ::getpid(), "-", next++});
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    errno = ENOENT;
    Descriptor opened{made ? ::openat(made->number(), name.c_str(), flags, 0666) : -1};
    if (!opened && errno == EEXIST) continue;                    // left by a killed program
    if (!opened && errno == ENOENT && ++tries < 1000) continue;  // another process erased the folder: make it again
    if (!opened) fail("make a file");
    Locked const file{std::move(opened)};
    auto const& folder = *made;
    try {
      lock(file.descriptor().number(), LOCK_EX, waiting);  // other processes lock it to check for leftovers
      auto const info = file.descriptor().status();
      if (info.st_nlink == 0 && ++tries < 1000) continue;  // another process took it for a leftover
      fill(file.descriptor());
      if (sync) file.descriptor().sync();
      Descriptor closing{::fcntl(file.descriptor().number(), F_DUPFD_CLOEXEC, 0)};  // keeps the lock
      if (!closing) fail("close the file");
      close(closing);
      put_in_place(folder.number(), name.c_str(), to.name, info.st_mode, held, waiting);
    } catch (...) {
      ::unlinkat(folder.number(), name.c_str(), 0);
      throw;
    }
    if (sync) folder.sync();
    return;
  }
}

/// Appends the bytes that `fill(Descriptor const&)` writes to a file of `size` bytes. False: it has another size, or
/// must be replaced rather than changed: it has other names, or another holder has locked it. Removes the bytes if not
/// all can be written. `held`: the file that the caller locked; null: locks it here.
template <class F>
bool append(Folder const& root, std::string const& path, std::uint64_t size, bool sync, LockedFile const* held,
            F&& fill) {
  Parts const at{path};
  auto const folder = root.find(at.folder, pass | O_DIRECTORY);
  if (!folder) return false;
  auto const locked = held ? LockedFile{} : LockedFile::take(folder->number(), at.name, nullptr);
  auto found = root.find(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (!found || !(held ? *held : locked).is(*found)) return false;
  auto const info = found->status();
  if (!S_ISREG(info.st_mode) || info.st_nlink != 1 || static_cast<std::uint64_t>(info.st_size) != size) return false;
  try {
    fill(std::as_const(*found));
    if (sync) found->sync();
    Descriptor closing{::fcntl(found->number(), F_DUPFD_CLOEXEC, 0)};  // the other one removes what was appended
    if (!closing) fail("close the file");
    close(closing);
  } catch (...) {
    if (::ftruncate(found->number(), static_cast<off_t>(size)) != 0)
      fail("remove what was appended to the value");
    throw;
  }
  return true;
}

/// Returns whether the file existed. Removes folders that become empty. `held`: as for put_in_place.
TESSERA_DECL bool erase(Folder const& root, std::string const& path, bool sync, LockedFile const* held,
                  Waiting const& waiting);

}  // namespace detail::posix
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/posix/replace.ipp>
#endif
