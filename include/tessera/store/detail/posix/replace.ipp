#pragma once
#include <tessera/store/detail/posix/replace.hpp>

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/store/detail/posix/empty_folders.hpp>
#include <tessera/store/detail/posix/file_lock.hpp>
#include <tessera/store/detail/posix/folder.hpp>
#include <tessera/store/detail/value_changed.hpp>

namespace tessera { inline namespace v0 { namespace detail { namespace posix {

/// As renameat, but fails with EEXIST if the name exists.
TESSERA_DECL int rename_new(int folder, char const* from, char const* to) {
#if defined(RENAME_NOREPLACE)
  if (::renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
#endif
  if (::linkat(folder, from, folder, to, 0) == 0) return ::unlinkat(folder, from, 0);
  if (errno == EEXIST) return -1;
  struct stat there {};  // supports neither: not atomic, another process may interfere
  if (::fstatat(folder, to, &there, AT_SYMLINK_NOFOLLOW) == 0) return errno = EEXIST, -1;
  return ::renameat(folder, from, folder, to);
}

TESSERA_DECL void put_in_place(int folder, char const* from, char const* to, mode_t mode, LockedFile const* held,
                               Waiting const& waiting) {
  for (int tries = 0; tries < 1000; ++tries) {
    if (held && !held->is_current(folder, to)) throw ValueChanged{};
    if (!held || !held->is_there()) {
      if (rename_new(folder, from, to) == 0) return;
      if (errno != EEXIST && errno != ENOTEMPTY) fail("rename the file");
      struct stat there {};
      if (::fstatat(folder, to, &there, AT_SYMLINK_NOFOLLOW) != 0) continue;  // removed again
      if (S_ISDIR(there.st_mode)) {
        if (!remove_empty(folder, to)) fail("rename the file", EISDIR);
        continue;
      }
      if (held) throw ValueChanged{};
    }
    auto const locked = held ? LockedFile{} : LockedFile::take(folder, to, &waiting);
    auto const& old = held ? *held : locked;
    if (!old.is_there()) continue;
    if ((old.mode() & 07777) != (mode & 07777)) ::fchmodat(folder, from, old.mode() & 07777, 0);
    if (::renameat(folder, from, folder, to) == 0) return;
    if (errno != EISDIR) fail("rename the file");
  }
  fail("rename the file", EBUSY);
}

TESSERA_DECL bool erase(Folder const& root, std::string const& path, bool sync, LockedFile const* held,
                        Waiting const& waiting) {
  Parts const file{path};
  auto const folder = root.find(file.folder, (sync ? read_only : pass) | O_DIRECTORY);
  if (!folder) return false;
  if (held && !held->is_current(folder->number(), file.name)) throw ValueChanged{};
  auto const locked = held ? LockedFile{} : LockedFile::take(folder->number(), file.name, &waiting);
  if (!(held ? *held : locked).is_there()) return false;
  if (::unlinkat(folder->number(), file.name, 0) != 0) {
    if (errno == ENOENT || errno == ENOTDIR || errno == EISDIR) return false;
    fail("erase the file");
  }
  if (sync) folder->sync();
  // An empty folder would block a key of its name.
  for (auto emptied = file.folder; emptied != ".";) {
    Parts const at{emptied};
    auto const above = root.find(at.folder, pass | O_DIRECTORY);
    if (!above || ::unlinkat(above->number(), at.name, AT_REMOVEDIR) != 0) break;
    emptied = std::string{at.folder};
  }
  return true;
}

}}}}  // namespace tessera::v0::detail::posix
