// Folders. What is named is found below one of them and nowhere else.
#pragma once
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/store/posix/descriptor.hpp>

#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

namespace tessera::inline v0 {
namespace detail::posix {

#if defined(O_PATH)
inline constexpr int pass = O_PATH | O_CLOEXEC;  ///< to go through a folder or to look at a file, not to read it
#else
inline constexpr int pass = O_RDONLY | O_CLOEXEC;
#endif
inline constexpr int read_only = O_RDONLY | O_CLOEXEC | O_NONBLOCK;  ///< a named pipe would wait for its writer

/// A folder. Paths given to it lead to what is below it: not to its outside, be it by symbolic links or while somebody
/// moves folders about. Links that stay below it are followed where the kernel can see to that (Linux 5.6); elsewhere
/// they are an error.
class Folder {
 public:
  /// nullopt: there is no such folder. A link that leads nowhere is an error.
  static std::optional<Folder> open(std::string const& path) {
    for (;;) {
      if (Descriptor folder{::open(path.c_str(), pass | O_DIRECTORY)}) return Folder{std::move(folder)};
      if (errno != ENOENT && errno != ENOTDIR) fail("open the folder");
      struct stat there {};
      if (::lstat(path.c_str(), &there) != 0) return std::nullopt;
      if (!S_ISDIR(there.st_mode)) fail("open the folder", S_ISLNK(there.st_mode) ? ENOENT : ENOTDIR);
    }  // somebody made it meanwhile
  }

  /// nullopt: nothing has that name; or, with O_NOFOLLOW, a link has.
  std::optional<Descriptor> find(std::string const& path, int flags) const {
    Descriptor found{resolve(path.c_str(), flags, no_links)};
    if (!found && (errno == ENOSYS || errno == EPERM)) {  // the kernel is older, or told to refuse the call
      found = Descriptor{walk(path, flags)};
    } else if (!found && errno == ELOOP) {  // a link is on the way
      found = Descriptor{resolve(path.c_str(), flags, 0)};
      if (!found && errno == ENOENT && leads_nowhere(path)) throw StoreError{"a symbolic link leads nowhere"};
    }
    if (found) return found;
    if (errno == ENOENT || errno == ENOTDIR || (errno == ELOOP && (flags & O_NOFOLLOW))) return std::nullopt;
    if (errno == EXDEV) throw StoreError{"a symbolic link leads out of the store's folder"};
    fail("open the file");
  }

  /// The folder of that name, made if there is none, and those above it. `sync`: in a way that outlasts a loss of
  /// power. nullopt: somebody erased one of them meanwhile.
  std::optional<Descriptor> make(std::string const& path, bool sync) const {
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
          fail("make the folder", ENOTDIR);  // a file has its name
      }
      above = std::move(below);
    }
    return above;
  }

  /// Whether it is nobody's folder any more: it was erased after it had been opened.
  bool was_erased() const { return folder_.status().st_nlink == 0; }

 private:
  explicit Folder(Descriptor folder) : folder_{std::move(folder)} {}

#if defined(RESOLVE_BENEATH)
  static constexpr std::uint64_t no_links = RESOLVE_NO_SYMLINKS;
  int resolve(char const* path, int flags, std::uint64_t how) const {
    open_how const arguments{static_cast<unsigned>(flags), 0, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | how};
    for (;;) {
      auto const found = ::syscall(SYS_openat2, folder_.number(), path, &arguments, sizeof arguments);
      if (found >= 0 || (errno != EAGAIN && errno != EINTR)) return static_cast<int>(found);  // EAGAIN: names moved
    }
  }
#else
  static constexpr std::uint64_t no_links = 0;
  int resolve(char const*, int, std::uint64_t) const { return errno = ENOSYS, -1; }
#endif

  // Name by name, none of them a link.
  int walk(std::string_view path, int flags) const {
    Descriptor above{-1};
    for (;;) {
      auto const slash = path.find('/');
      auto const at = above ? above.number() : folder_.number();
      char name[256];
      if (path.substr(0, slash).size() >= sizeof name) return errno = ENAMETOOLONG, -1;
      name[path.copy(name, std::min(slash, path.size()))] = '\0';
      Descriptor below{::openat(at, name, O_NOFOLLOW | (slash == path.npos ? flags : pass | O_DIRECTORY))};
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

  // Whether there is no such file because of a link to what is not there.
  bool leads_nowhere(std::string const& path) const {
    for (auto end = path.find('/');; end = path.find('/', end + 1)) {
      auto const part = path.substr(0, end);
      if (!Descriptor{resolve(part.c_str(), pass | O_NOFOLLOW, 0)}) return false;
      if (!Descriptor{resolve(part.c_str(), pass, 0)}) return errno == ENOENT;
      if (end == path.npos) return false;
    }
  }

  Descriptor folder_;
};

}  // namespace detail::posix
}  // namespace tessera::inline v0
