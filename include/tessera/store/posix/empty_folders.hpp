// What is in a folder, and folders in which there is nothing.
#pragma once
#include <cerrno>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/store/posix/folder.hpp>

namespace tessera::inline v0 {
namespace detail::posix {

/// The names in an open folder.
class Listing {
 public:
  explicit Listing(Descriptor folder) : handle_{::fdopendir(folder.number())} {
    if (!handle_) fail("list the folder");
    folder.release();
  }
  Listing(Listing const&) = delete;
  Listing& operator=(Listing const&) = delete;
  ~Listing() { ::closedir(handle_); }

  int folder() const { return ::dirfd(handle_); }
  /// Null: there are no more.
  char const* next() {
    for (;;) {
      errno = 0;
      auto const* entry = ::readdir(handle_);
      if (!entry && errno != 0) fail("list the folder");
      if (!entry) return nullptr;
      std::string_view const name = entry->d_name;
      if (name != "." && name != "..") return entry->d_name;
    }
  }

 private:
  DIR* handle_;
};

// Whether all that is in a folder is folders, so many levels deep at most: each level takes a descriptor, and a page of
// names. `remove`: each goes, when what is in it has gone.
inline bool only_folders(int above, char const* name, int levels, bool remove) {
  auto const removed = [&] { return ::unlinkat(above, name, AT_REMOVEDIR) == 0 || errno == ENOENT; };
  if (remove && removed()) return true;
  Descriptor opened{levels > 0 ? ::openat(above, name, read_only | O_DIRECTORY | O_NOFOLLOW) : -1};
  if (!opened) return levels > 0 && errno == ENOENT;
  Listing below{std::move(opened)};
  while (auto const* found = below.next())
    if (!only_folders(below.folder(), found, levels - 1, remove)) return false;
  return !remove || removed() || errno == ENOTEMPTY || errno == EEXIST;
}

/// Removes a folder in which there is nothing but folders, as other programs leave them where they erased what was
/// below; of one that holds anything else, nothing. False: it is in the way still. If true, somebody may have made it
/// again.
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
}  // namespace tessera::inline v0
