// Folder: an open folder; paths are resolved below it and nowhere else.
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

#include <tessera/store/detail/local_options.hpp>
#include <tessera/store/detail/other_formats.hpp>
#include <tessera/store/detail/posix/descriptor.hpp>

#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

namespace tessera { inline namespace v0 {
namespace detail::posix {

#if defined(O_PATH)
inline constexpr int pass = O_PATH | O_CLOEXEC;  ///< to traverse a folder or to inspect a file, not to read it
#else
inline constexpr int pass = O_RDONLY | O_CLOEXEC;
#endif
inline constexpr int read_only = O_RDONLY | O_CLOEXEC | O_NONBLOCK;  ///< does not wait for a named pipe's writer

/// A path, split into its folder ("." for the one where it begins) and its name there.
struct Parts {
  explicit Parts(std::string const& path);
  std::string folder;
  char const* name;
};

/// Paths lead only to contents of the folder, even while other processes move folders. A symbolic link on the way is an
/// error, or is followed wherever it leads.
class Folder {
 public:
  /// nullopt: no such folder. A link that leads nowhere is an error.
  static std::optional<Folder> open(std::string const& path, Links links);

  bool follows_links() const { return links_ == Links::follow; }

  /// nullopt: the name is missing; or, with O_NOFOLLOW where links are followed, a link. Waits while another program
  /// holds a lease of the file.
  std::optional<Descriptor> find(std::string const& path, int flags) const;

  /// Finds or makes a folder and its parents. `sync`: they survive a loss of power. nullopt: another process erased one
  /// of them meanwhile.
  std::optional<Descriptor> make(std::string const& path, bool sync) const;

  /// Whether the folder was erased after it was opened.
  bool was_erased() const { return folder_.status().st_nlink == 0; }

 private:
  Folder(Descriptor folder, Links links) : folder_{std::move(folder)}, links_{links} {}

  static int open_at(int folder, char const* name, int flags);

  // In one system call, without links.
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

  // Name by name, without links.
  int walk(std::string_view path, int flags) const;

  // Opens a file of which another program holds a lease: the system has told it to release it, and `open` waits until
  // it does or its time is over. Opens the file found before: the `open` of a named pipe put there meanwhile would wait
  // for ever.
  int when_lease_ends(std::string const& path, int flags) const;

  // Whether a link to a missing target is why the file is missing.
  bool leads_nowhere(std::string const& path) const;

  Descriptor folder_;
  Links links_;
};

}  // namespace detail::posix
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/posix/folder.ipp>
#endif
