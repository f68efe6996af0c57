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

#include <tessera/store/links.hpp>
#include <tessera/store/posix/descriptor.hpp>

#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

namespace tessera { inline namespace v0 {
namespace detail::posix {

#if defined(O_PATH)
inline constexpr int pass = O_PATH | O_CLOEXEC;  ///< to go through a folder or to look at a file, not to read it
#else
inline constexpr int pass = O_RDONLY | O_CLOEXEC;
#endif
inline constexpr int read_only = O_RDONLY | O_CLOEXEC | O_NONBLOCK;  ///< a named pipe would wait for its writer

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

/// Throws: StoreError, for what should be a folder is a file: what kind of one.
[[noreturn]] inline void refuse_file(std::string const& path) {
  Descriptor const file{::open(path.c_str(), read_only)};
  char start[2] = {};
  bool const is_zip = path.ends_with(".zip") || (file && ::pread(file.number(), start, 2, 0) == 2 &&
                                                 start[0] == 'P' && start[1] == 'K');
  throw StoreError{is_zip ? "found a zip file, expected a folder: unpack it" : "found a file, expected a folder"};
}

/// A folder. Paths given to it lead to what is below it: not to its outside, be it while somebody moves folders about.
/// A symbolic link on the way is an error, or followed wherever it leads.
class Folder {
 public:
  /// nullopt: there is no such folder. A link that leads nowhere is an error.
  static std::optional<Folder> open(std::string const& path, Links links) {
    for (;;) {
      if (Descriptor folder{::open(path.c_str(), pass | O_DIRECTORY)}) return Folder{std::move(folder), links};
      if (errno != ENOENT && errno != ENOTDIR) fail("open the folder");
      struct stat there {};
      if (::lstat(path.c_str(), &there) != 0) return std::nullopt;
      if (S_ISREG(there.st_mode)) refuse_file(path);
      if (!S_ISDIR(there.st_mode)) fail("open the folder", S_ISLNK(there.st_mode) ? ENOENT : ENOTDIR);
    }  // somebody made it meanwhile
  }

  bool follows_links() const { return links_ == Links::follow; }

  /// nullopt: nothing has that name; or, with O_NOFOLLOW where links are followed, a link has. Waits while another
  /// program holds a lease of the file.
  std::optional<Descriptor> find(std::string const& path, int flags) const {
    Descriptor found{resolve(path.c_str(), flags)};
    if (!found && (errno == ENOSYS || errno == EPERM))  // the kernel is older, or told to refuse the call
      found = Descriptor{walk(path, flags)};
    if (!found && errno == ELOOP) {  // a link is on the way
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
  Folder(Descriptor folder, Links links) : folder_{std::move(folder)}, links_{links} {}

  static int open_at(int folder, char const* name, int flags) {
    for (;;) {
      auto const found = ::openat(folder, name, flags);
      if (found >= 0 || errno != EINTR) return found;
    }
  }

  // In one step, no link on the way.
#if defined(RESOLVE_NO_SYMLINKS)
  int resolve(char const* path, int flags) const {
    open_how const how{static_cast<unsigned>(flags), 0, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    for (;;) {
      auto const found = ::syscall(SYS_openat2, folder_.number(), path, &how, sizeof how);
      if (found >= 0 || errno != EINTR) return static_cast<int>(found);
    }
  }
#else
  int resolve(char const*, int) const { return errno = ENOSYS, -1; }
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

  // Opens what another program holds a lease of: the system has told that program to give it up, and waits in `open`
  // until it did, or its time is over. It is the file that was found: nobody can have put a pipe there, whose `open`
  // would wait for ever.
  int when_lease_ends(std::string const& path, int flags) const {
    auto const file = find(path, pass | (flags & O_NOFOLLOW));
    if (!file) return errno = ENOENT, -1;
    if (!S_ISREG(file->status().st_mode)) return errno = EAGAIN, -1;
    auto const same = text({"/proc/self/fd/", file->number()});
    auto const found = open_at(AT_FDCWD, same.c_str(), flags & ~(O_NONBLOCK | O_NOFOLLOW));
    if (found < 0 && errno == ENOENT) errno = EAGAIN;  // there is no /proc
    return found;
  }

  // Whether there is no such file because of a link to what is not there.
  bool leads_nowhere(std::string const& path) const {
    struct stat info {};
    for (auto end = path.find('/');; end = path.find('/', end + 1)) {
      auto const part = path.substr(0, end);
      if (::fstatat(folder_.number(), part.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
      if (::fstatat(folder_.number(), part.c_str(), &info, 0) != 0) return errno == ENOENT;
      if (end == path.npos) return false;
    }
  }

  Descriptor folder_;
  Links links_;
};

}  // namespace detail::posix
}}  // namespace tessera::v0
