// Files and folders that a writer has not finished: it holds them by a lock until they have their name. What nobody
// holds is stale: its writer ended before, and nobody will finish it.
#pragma once
#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/core/text.hpp>
#include <tessera/store/posix/file_lock.hpp>
#include <tessera/store/posix/folder.hpp>
#include <tessera/store/posix/listing.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

inline constexpr char const* unfinished_prefix = ".tessera-";

/// Whether it is a name that writers give: the prefix, the process, "-" and a number.
inline bool is_unfinished(std::string_view name) {
  if (!name.starts_with(unfinished_prefix)) return false;
  name.remove_prefix(std::string_view{unfinished_prefix}.size());
  auto const is_number = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == part.npos;
  };
  auto const dash = name.find('-');
  return dash != name.npos && is_number(name.substr(0, dash)) && is_number(name.substr(dash + 1));
}

// Whether a name still is that of what was opened.
inline bool has_name(Descriptor const& opened, int above, char const* name) {
  struct stat named {};
  if (::fstatat(above, name, &named, AT_SYMLINK_NOFOLLOW) != 0) return false;
  auto const info = opened.status();
  return info.st_dev == named.st_dev && info.st_ino == named.st_ino;
}

/// The file or folder of that name, held, if its writer is gone; else empty. While it is held it keeps its name.
inline Locked hold_stale(int above, char const* name) {
  Descriptor found{is_unfinished(name) ? ::openat(above, name, read_only | O_NOFOLLOW) : -1};
  if (!found) return {};
  auto const type = found.status().st_mode;
  if ((!S_ISREG(type) && !S_ISDIR(type)) || !lock(found.number(), LOCK_EX | LOCK_NB)) return {};
  Locked held{std::move(found)};
  if (!has_name(held.descriptor(), above, name)) return {};  // its writer has renamed it meanwhile
  return held;
}

// Erases a folder and all that is in it; links, not what they lead to. Each level takes a descriptor.
inline void remove_folder(int above, char const* name, int levels = 500) {
  if (levels == 0) fail("erase folders that are nested so deep", ELOOP);
  while (::unlinkat(above, name, AT_REMOVEDIR) != 0 && errno != ENOENT) {
    if (errno != ENOTEMPTY && errno != EEXIST) fail("erase a folder");
    Descriptor opened{::openat(above, name, read_only | O_DIRECTORY | O_NOFOLLOW)};
    if (!opened) fail("open a folder to erase it");
    Listing below{std::move(opened)};
    while (auto const* found = below.next()) {
      if (::unlinkat(below.folder(), found, 0) == 0 || errno == ENOENT) continue;
      if (errno != EISDIR && errno != EPERM) fail("erase a file");
      remove_folder(below.folder(), found, levels - 1);
    }
  }
}

/// Erases what a writer left that is gone, a folder with all that is in it. False: there is no such thing, or its
/// writer is at work. Throws: StoreError, if it cannot be erased.
inline bool remove_stale(int above, char const* name) {
  auto const held = hold_stale(above, name);
  if (!held) return false;
  if (S_ISDIR(held.descriptor().status().st_mode))
    remove_folder(above, name);
  else if (::unlinkat(above, name, 0) != 0 && errno != ENOENT)
    fail("erase what a writer left that ended");
  return true;
}

/// Calls f(folder's descriptor, name) if the folder above that path is there.
template <class F>
bool in_folder(Folder const& root, std::string const& path, F&& f) {
  Parts const at{path};
  auto const above = root.find(at.folder, pass | O_DIRECTORY);
  return above && f(above->number(), at.name);
}

/// A folder of an unfinished name, held until this goes: whoever comes upon it leaves it alone until then.
struct UnfinishedFolder {
  std::string path;
  Locked held;
};

/// Makes one in a folder, which is made if there is none. `next` makes names differ.
template <class Counter>
UnfinishedFolder make_unfinished(Folder const& root, std::string const& folder, Counter& next) {
  for (int tries = 0; tries < 1000;) {
    auto const above = root.make(folder.empty() ? "." : folder, false);
    if (!above && ++tries) continue;  // somebody erased it: it is made again
    auto const name = text({unfinished_prefix, ::getpid(), "-", next++});
    if (::mkdirat(above->number(), name.c_str(), 0777) != 0) {
      if (errno == EEXIST || (errno == ENOENT && ++tries)) continue;
      fail("make a folder");
    }
    Descriptor made{::openat(above->number(), name.c_str(), read_only | O_DIRECTORY | O_NOFOLLOW)};
    // Until it is held, others may take it for one that a writer left, and erase it.
    if (!made && errno != ENOENT) fail("open the folder");
    if (made) lock(made.number(), LOCK_EX);  // where there are no locks, nothing is taken for stale
    if (made && has_name(made, above->number(), name.c_str()))
      return {folder.empty() ? name : text({folder, "/", name}), Locked{std::move(made)}};
    ++tries;
  }
  fail("make a folder that is not erased at once", EAGAIN);
}

}  // namespace detail::posix
}}  // namespace tessera::v0
