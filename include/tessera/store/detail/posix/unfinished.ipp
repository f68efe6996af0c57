#pragma once
#include <tessera/store/detail/posix/unfinished.hpp>

#include <cerrno>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/store/detail/posix/file_lock.hpp>
#include <tessera/store/detail/posix/folder.hpp>
#include <tessera/store/detail/posix/listing.hpp>

namespace tessera { inline namespace v0 { namespace detail { namespace posix {

TESSERA_DECL bool is_unfinished(std::string_view name) {
  if (!name.starts_with(unfinished_prefix)) return false;
  name.remove_prefix(std::string_view{unfinished_prefix}.size());
  auto const is_number = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == part.npos;
  };
  auto const dash = name.find('-');
  return dash != name.npos && is_number(name.substr(0, dash)) && is_number(name.substr(dash + 1));
}

TESSERA_DECL bool has_name(Descriptor const& opened, int above, char const* name) {
  struct stat named {};
  if (::fstatat(above, name, &named, AT_SYMLINK_NOFOLLOW) != 0) return false;
  auto const info = opened.status();
  return info.st_dev == named.st_dev && info.st_ino == named.st_ino;
}

TESSERA_DECL Locked hold_stale(int above, char const* name) {
  Descriptor found{is_unfinished(name) ? ::openat(above, name, read_only | O_NOFOLLOW) : -1};
  if (!found) return {};
  auto const type = found.status().st_mode;
  if ((!S_ISREG(type) && !S_ISDIR(type)) || !try_lock(found.number(), LOCK_EX)) return {};
  Locked held{std::move(found)};
  if (!has_name(held.descriptor(), above, name)) return {};  // its writer renamed it meanwhile
  return held;
}

// Erases a folder and its contents; links, not their targets. Each level needs a descriptor.
TESSERA_DECL void remove_folder(int above, char const* name, int levels = 500) {
  if (levels == 0) fail("erase folders that are nested this deeply", ELOOP);
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

TESSERA_DECL bool remove_stale(int above, char const* name) {
  auto const held = hold_stale(above, name);
  if (!held) return false;
  if (S_ISDIR(held.descriptor().status().st_mode))
    remove_folder(above, name);
  else if (::unlinkat(above, name, 0) != 0 && errno != ENOENT)
    fail("erase what an interrupted writer left");
  return true;
}

}}}}  // namespace tessera::v0::detail::posix
