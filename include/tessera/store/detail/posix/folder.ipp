#pragma once
#include <tessera/store/detail/posix/folder.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/core/error.hpp>
#include <tessera/store/detail/local_options.hpp>
#include <tessera/store/detail/other_formats.hpp>
#include <tessera/store/detail/posix/descriptor.hpp>

namespace tessera { inline namespace v0 { namespace detail { namespace posix {

TESSERA_DECL Parts::Parts(std::string const& path) {
  auto const slash = path.rfind('/');
  folder = slash == path.npos ? std::string{"."} : path.substr(0, slash);
  name = path.c_str() + (slash + 1);  // the whole path, if it has no slash
}

/// Throws: StoreError that says which kind of file is in place of a folder.
[[noreturn]] TESSERA_DECL void refuse_file(std::string const& path) {
  Descriptor const file{::open(path.c_str(), read_only)};
  char start[first_bytes_of_file] = {};
  auto const size = file ? ::pread(file.number(), start, sizeof start, 0) : 0;
  auto const what = file_of_other_format({start, size > 0 ? static_cast<std::size_t>(size) : 0});
  bool const is_zip = what.empty() && path.ends_with(".zip");
  throw StoreError{"found " + (is_zip         ? "a zip file, expected a folder"
                               : what.empty() ? "a file, expected a folder"
                                              : what)};
}

TESSERA_DECL std::optional<Folder> Folder::open(std::string const& path, Links links) {
  for (;;) {
    if (Descriptor folder{::open(path.c_str(), pass | O_DIRECTORY)}) return Folder{std::move(folder), links};
    if (errno != ENOENT && errno != ENOTDIR) fail("open the folder");
    struct stat there {};
    if (::lstat(path.c_str(), &there) != 0) return std::nullopt;
    if (S_ISREG(there.st_mode)) refuse_file(path);
    if (!S_ISDIR(there.st_mode)) fail("open the folder", S_ISLNK(there.st_mode) ? ENOENT : ENOTDIR);
  }  // another process made it meanwhile
}

TESSERA_DECL std::optional<Descriptor> Folder::find(std::string const& path, int flags) const {
  Descriptor found{resolve(path.c_str(), flags)};
  if (!found && (errno == ENOSYS || errno == EPERM))  // an older kernel, or one that refuses the call
    found = Descriptor{walk(path, flags)};
  if (!found && errno == ELOOP) {  // a link on the way
    if (!follows_links()) throw StoreError{links_are_refused};
    found = Descriptor{open_at(folder_.number(), path.c_str(), flags)};
    if (!found && errno == ENOENT && leads_nowhere(path)) throw StoreError{"a symbolic link leads nowhere"};
    if (!found && errno == ELOOP && (flags & O_NOFOLLOW)) return std::nullopt;
  }
  if (!found && errno == EAGAIN) found = Descriptor{when_lease_ends(path, flags)};
  if (found) return found;
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  fail("open the file");
}

TESSERA_DECL std::optional<Descriptor> Folder::make(std::string const& path, bool sync) const {
  auto const flags = (sync ? read_only : pass) | O_DIRECTORY;
  if (auto found = find(path, flags)) return found;
  auto above = find(".", flags);
  for (std::size_t begin = 0, end; above && begin <= path.size(); begin = end + 1) {
    end = std::min(path.find('/', begin), path.size());
    auto const part = path.substr(0, end);
    auto below = find(part, flags);
    if (!below) {
      if (::mkdirat(above->number(), path.substr(begin, end - begin).c_str(), 0777) == 0) {
        if (sync) above->sync();
      } else if (errno == ENOENT) {
        return std::nullopt;
      } else if (errno != EEXIST) {
        fail("make the folder");
      }
      below = find(part, flags);
      if (auto const file = below ? std::nullopt : find(part, pass); file && !S_ISDIR(file->status().st_mode))
        fail("make the folder", ENOTDIR);  // a file has the name
    }
    above = std::move(below);
  }
  return above;
}

TESSERA_DECL int Folder::open_at(int folder, char const* name, int flags) {
  for (;;) {
    auto const found = ::openat(folder, name, flags);
    if (found >= 0 || errno != EINTR) return found;
  }
}

TESSERA_DECL int Folder::walk(std::string_view path, int flags) const {
  Descriptor above{-1};
  for (;;) {
    auto const slash = path.find('/');
    auto const at = above ? above.number() : folder_.number();
    char name[256];
    if (path.substr(0, slash).size() >= sizeof name) return errno = ENAMETOOLONG, -1;
    name[path.copy(name, std::min(slash, path.size()))] = '\0';
    Descriptor below{open_at(at, name, O_NOFOLLOW | (slash == path.npos ? flags : pass | O_DIRECTORY))};
    if (!below) {
      struct stat info {};
      if (errno == ENOTDIR && ::fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) == 0)
        errno = S_ISLNK(info.st_mode) ? ELOOP : ENOTDIR;
      return -1;
    }
    if (slash == path.npos) {
      if (flags == pass && S_ISLNK(below.status().st_mode)) return errno = ELOOP, -1;
      return below.release();
    }
    above = std::move(below);
    path.remove_prefix(slash + 1);
  }
}

TESSERA_DECL int Folder::when_lease_ends(std::string const& path, int flags) const {
  auto const file = find(path, pass | (flags & O_NOFOLLOW));
  if (!file) return errno = ENOENT, -1;
  if (!S_ISREG(file->status().st_mode)) return errno = EAGAIN, -1;
  auto const same = to_text({"/proc/self/fd/", file->number()});
  auto const found = open_at(AT_FDCWD, same.c_str(), flags & ~(O_NONBLOCK | O_NOFOLLOW));
  if (found < 0 && errno == ENOENT) errno = EAGAIN;  // no /proc
  return found;
}

TESSERA_DECL bool Folder::leads_nowhere(std::string const& path) const {
  struct stat info {};
  for (auto end = path.find('/');; end = path.find('/', end + 1)) {
    auto const part = path.substr(0, end);
    if (::fstatat(folder_.number(), part.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
    if (::fstatat(folder_.number(), part.c_str(), &info, 0) != 0) return errno == ENOENT;
    if (end == path.npos) return false;
  }
}

}}}}  // namespace tessera::v0::detail::posix
