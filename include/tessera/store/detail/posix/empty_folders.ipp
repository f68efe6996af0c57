#pragma once
#include <tessera/store/detail/posix/empty_folders.hpp>

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/store/detail/posix/listing.hpp>
#include <tessera/store/detail/posix/unfinished.hpp>

namespace tessera { inline namespace v0 { namespace detail { namespace posix {

// Whether a folder has only folders, at most `levels` deep, and leftovers of writers that ended. Each level needs a
// descriptor and a page of names. `remove`: removes each after its contents.
TESSERA_DECL bool only_folders(int above, char const* name, int levels, bool remove) {
  auto const removed = [&] { return ::unlinkat(above, name, AT_REMOVEDIR) == 0 || errno == ENOENT; };
  if (is_unfinished(name)) {  // a live writer needs even its empty folder
    if (remove ? remove_stale(above, name) : static_cast<bool>(hold_stale(above, name))) return true;
    struct stat info {};
    return ::fstatat(above, name, &info, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
  }
  if (remove && removed()) return true;
  Descriptor opened{levels > 0 ? ::openat(above, name, read_only | O_DIRECTORY | O_NOFOLLOW) : -1};
  if (!opened) return levels > 0 && errno == ENOENT;
  Listing below{std::move(opened)};
  while (auto const* found = below.next())
    if (!only_folders(below.folder(), found, levels - 1, remove)) return false;
  return !remove || removed() || errno == ENOTEMPTY || errno == EEXIST;
}

TESSERA_DECL bool remove_empty(int above, char const* name) {
  constexpr int levels = 64;
  if (::unlinkat(above, name, AT_REMOVEDIR) == 0) return true;
  if ((errno == ENOTEMPTY || errno == EEXIST) && only_folders(above, name, levels, false) &&
      only_folders(above, name, levels, true))
    return true;
  struct stat now {};  // another process may have removed it, or put a file there
  return ::fstatat(above, name, &now, AT_SYMLINK_NOFOLLOW) != 0 ? errno == ENOENT : !S_ISDIR(now.st_mode);
}

}}}}  // namespace tessera::v0::detail::posix
