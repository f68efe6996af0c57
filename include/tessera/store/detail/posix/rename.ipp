#pragma once
#include <tessera/store/detail/posix/rename.hpp>

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <tessera/core/error.hpp>
#include <tessera/store/detail/posix/empty_folders.hpp>
#include <tessera/store/detail/posix/folder.hpp>

namespace tessera { inline namespace v0 { namespace detail { namespace posix {

// A link relative to its folder would lead elsewhere from another.
TESSERA_DECL bool is_relative_link(Descriptor const& folder, char const* name) {
  char first = '/';
  return ::readlinkat(folder.number(), name, &first, 1) == 1 && first != '/';
}

TESSERA_DECL bool rename(Folder const& root, std::string const& from, std::string const& to, bool sync) {
  if (!root.find(from, pass | O_DIRECTORY)) return false;
  Parts const before{from}, after{to};
  auto const flags = (sync ? read_only : pass) | O_DIRECTORY;
  auto const made = root.make(after.folder, sync);
  auto const old = root.find(before.folder, flags);
  errno = ENOENT;
  if (!made || !old) fail("rename the folder");
  if (before.folder != after.folder && is_relative_link(*old, before.name))
    throw StoreError{"it is a relative symbolic link, whose target would change in another folder"};
  for (int tries = 0; ::renameat(old->number(), before.name, made->number(), after.name) != 0;) {
    auto const error = errno;
    bool const is_full = error == ENOTEMPTY || error == EEXIST;
    if (!is_full || ++tries > 1000 || !remove_empty(made->number(), after.name)) fail("rename the folder", error);
  }
  if (sync) made->sync(), old->sync();
  return true;
}

TESSERA_DECL bool exchange(Folder const& root, std::string const& one, std::string const& other, bool sync) {
  Parts const here{one}, there{other};
  auto const flags = (sync ? read_only : pass) | O_DIRECTORY;
  auto const above_here = root.find(here.folder, flags), above_there = root.find(there.folder, flags);
  errno = ENOENT;
  if (!above_here || !above_there) fail("exchange the folders");
#if defined(RENAME_EXCHANGE)
  if (::renameat2(above_here->number(), here.name, above_there->number(), there.name, RENAME_EXCHANGE) != 0) {
    if (errno == EINVAL || errno == ENOSYS || errno == ENOTSUP) return false;
    fail("exchange the folders");
  }
  if (sync) above_here->sync(), above_there->sync();
  return true;
#else
  return false;
#endif
}

}}}}  // namespace tessera::v0::detail::posix
