// What LocalStore does with files and folders.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/store/posix/empty_folders.hpp>
#include <tessera/store/posix/folder.hpp>

namespace tessera::inline v0 {
namespace detail::posix {

/// A path as the folder that it is in, "." for the one that it begins at, and the name there.
struct Parts {
  explicit Parts(std::string const& path) {
    auto const slash = path.rfind('/');
    folder = slash == path.npos ? std::string{"."} : path.substr(0, slash);
    name = path.c_str() + (slash + 1);  // all of it, if there is no slash
  }
  std::string folder;
  char const* name;
};

struct OpenFile {
  Descriptor descriptor;
  std::uint64_t size;
};

/// nullopt: there is no such file; a folder is none.
inline std::optional<OpenFile> find_file(Folder const& root, std::string const& path) {
  auto found = root.find(path, read_only);
  if (!found) return std::nullopt;
  auto const info = found->status();
  if (S_ISDIR(info.st_mode)) return std::nullopt;
  if (!S_ISREG(info.st_mode)) throw StoreError{"not a regular file"};
  return OpenFile{std::move(*found), static_cast<std::uint64_t>(info.st_size)};
}

/// Gives a folder another path, at once: what is opened below it is found at one of them, whole. Empty folders there
/// go; another is an error. Whether there was such a folder.
inline bool rename(Folder const& root, std::string const& from, std::string const& to, bool sync) {
  if (!root.find(from, pass | O_DIRECTORY)) return false;
  Parts const before{from}, after{to};
  auto const flags = (sync ? read_only : pass) | O_DIRECTORY;
  auto const made = root.make(after.folder, sync);
  auto const old = root.find(before.folder, flags);
  errno = ENOENT;
  if (!made || !old) fail("rename the folder");
  for (int tries = 0; ::renameat(old->number(), before.name, made->number(), after.name) != 0;) {
    auto const error = errno;
    bool const is_full = error == ENOTEMPTY || error == EEXIST;
    if (!is_full || ++tries > 1000 || !remove_empty(made->number(), after.name)) fail("rename the folder", error);
  }
  if (sync) made->sync(), old->sync();
  return true;
}

/// Makes a folder and those above it, wherever they are.
inline void make_folders(std::string const& path, bool sync) {
  for (std::size_t end = 0; end != path.npos;) {
    end = path.find('/', end + 1);
    auto const folder = path.substr(0, end);
    if (::mkdir(folder.c_str(), 0777) != 0) {
      if (errno != EEXIST && end == path.npos) fail("make the folder");
    } else if (sync) {
      auto const slash = folder.rfind('/');
      auto const above = slash == folder.npos ? std::string{"."} : folder.substr(0, slash + 1);
      Descriptor const opened{::open(above.c_str(), read_only | O_DIRECTORY)};
      if (!opened) fail("open the folder");
      opened.sync();
    }
  }
}

/// Calls f(name, is_folder, size) for each file and folder in a folder. Links to
/// folders are passed over: they could lead in circles. One that leads nowhere or outside is shown as an empty file, so
/// that reading it tells. Returns whether there was anything.
template <class F>
bool for_each_in(Folder const& root, std::string const& path, F&& f) {
  auto opened = root.find(path.empty() ? "." : path, read_only | O_DIRECTORY);
  if (!opened) return false;
  Listing listing{std::move(*opened)};
  bool any = false;
  while (auto const* name = listing.next()) {
    any = true;
    struct stat info {};
    if (::fstatat(listing.folder(), name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) continue;  // gone since
      fail("look at a file in the folder");
    }
    if (S_ISLNK(info.st_mode)) {
      try {
        auto const target = root.find(path.empty() ? name : text({path, "/", name}), pass);
        if (!target) continue;
        info = target->status();
        if (S_ISDIR(info.st_mode)) continue;
      } catch (StoreError const&) {
        info.st_mode = S_IFREG, info.st_size = 0;
      }
    }
    if (S_ISDIR(info.st_mode) || S_ISREG(info.st_mode))
      f(std::string_view{name}, S_ISDIR(info.st_mode),
        S_ISDIR(info.st_mode) ? 0 : static_cast<std::uint64_t>(info.st_size));
  }
  return any;
}

}  // namespace detail::posix
}  // namespace tessera::inline v0
