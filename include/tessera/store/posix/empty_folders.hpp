// Folders in which there is nothing: folders, and what writers left that ended.
#pragma once
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/store/posix/listing.hpp>
#include <tessera/store/posix/unfinished.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

// Whether all that is in a folder is folders, so many levels deep at most, and what writers left that ended: each level
// takes a descriptor, and a page of names. `remove`: each goes, when what is in it has gone.
inline bool only_folders(int above, char const* name, int levels, bool remove) {
  auto const removed = [&] { return ::unlinkat(above, name, AT_REMOVEDIR) == 0 || errno == ENOENT; };
  if (is_unfinished(name)) {  // a writer that lives needs its own, even an empty folder
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

/// Removes a folder in which there is nothing but folders, as other programs leave them where they erased what was
/// below, and what writers left that ended; of one that holds anything else, nothing. False: it is in the way still. If
/// true, somebody may have made it again.
inline bool remove_empty(int above, char const* name) {
  constexpr int levels = 64;
  if (::unlinkat(above, name, AT_REMOVEDIR) == 0) return true;
  if ((errno == ENOTEMPTY || errno == EEXIST) && only_folders(above, name, levels, false) &&
      only_folders(above, name, levels, true))
    return true;
  struct stat now {};  // somebody else may have removed it, or have put a file there
  return ::fstatat(above, name, &now, AT_SYMLINK_NOFOLLOW) != 0 ? errno == ENOENT : !S_ISDIR(now.st_mode);
}

}  // namespace detail::posix
}}  // namespace tessera::v0
