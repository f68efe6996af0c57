// Folders that get another path, at once.
#pragma once
#include <cerrno>
#include <string>

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/store/posix/empty_folders.hpp>
#include <tessera/store/posix/folder.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

// A link that says where it leads from the folder it is in would lead elsewhere from another.
inline bool is_relative_link(Descriptor const& folder, char const* name) {
  char first = '/';
  return ::readlinkat(folder.number(), name, &first, 1) == 1 && first != '/';
}

/// Gives a folder, or a link to one, another path, at once: what is opened below it is found at one of them, whole.
/// Empty folders there go; another is an error. Whether there was such a folder.
inline bool rename(Folder const& root, std::string const& from, std::string const& to, bool sync) {
  if (!root.find(from, pass | O_DIRECTORY)) return false;
  Parts const before{from}, after{to};
  auto const flags = (sync ? read_only : pass) | O_DIRECTORY;
  auto const made = root.make(after.folder, sync);
  auto const old = root.find(before.folder, flags);
  errno = ENOENT;
  if (!made || !old) fail("rename the folder");
  if (before.folder != after.folder && is_relative_link(*old, before.name))
    throw StoreError{"it is a relative symbolic link, which would lead elsewhere from another folder"};
  for (int tries = 0; ::renameat(old->number(), before.name, made->number(), after.name) != 0;) {
    auto const error = errno;
    bool const is_full = error == ENOTEMPTY || error == EEXIST;
    if (!is_full || ++tries > 1000 || !remove_empty(made->number(), after.name)) fail("rename the folder", error);
  }
  if (sync) made->sync(), old->sync();
  return true;
}

/// Gives two folders, or links, each the path of the other, at once: whoever looks finds one of them at either path.
/// False: the file system cannot. Throws: StoreError, if one of them is not there.
inline bool exchange(Folder const& root, std::string const& one, std::string const& other, bool sync) {
  Parts const first{one}, second{other};
  auto const flags = (sync ? read_only : pass) | O_DIRECTORY;
  auto const above_first = root.find(first.folder, flags), above_second = root.find(second.folder, flags);
  errno = ENOENT;
  if (!above_first || !above_second) fail("exchange the folders");
#if defined(RENAME_EXCHANGE)
  if (::renameat2(above_first->number(), first.name, above_second->number(), second.name, RENAME_EXCHANGE) != 0) {
    if (errno == EINVAL || errno == ENOSYS || errno == ENOTSUP) return false;
    fail("exchange the folders");
  }
  if (sync) above_first->sync(), above_second->sync();
  return true;
#else
  return false;
#endif
}

}  // namespace detail::posix
}}  // namespace tessera::v0
