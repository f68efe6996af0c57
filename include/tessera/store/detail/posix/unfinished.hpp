// Unfinished files and folders: writers lock them until they have their name. Unlocked ones are stale: their writer has
// ended.
#pragma once
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/detail/posix/file_lock.hpp>
#include <tessera/store/detail/posix/folder.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

inline constexpr char const* unfinished_prefix = ".tessera-";

/// Whether a name is an unfinished one: the prefix, the process, "-" and a number.
TESSERA_DECL bool is_unfinished(std::string_view name);

// Whether `name` still leads to the opened file.
TESSERA_DECL bool has_name(Descriptor const& opened, int above, char const* name);

/// Locks the file or folder of that name if its writer is gone; else empty. It keeps its name while locked.
TESSERA_DECL Locked hold_stale(int above, char const* name);

/// Erases a stale file, or a folder with its contents. False: missing, or its writer is active. Throws: StoreError, if
/// it cannot be erased.
TESSERA_DECL bool remove_stale(int above, char const* name);

/// Calls f(folder's descriptor, name) if the folder above `path` exists.
template <class F>
bool in_folder(Folder const& root, std::string const& path, F&& f) {
  Parts const at{path};
  auto const above = root.find(at.folder, pass | O_DIRECTORY);
  return above && f(above->number(), at.name);
}

/// A folder with an unfinished name, locked until destruction: others leave it alone until then.
struct UnfinishedFolder {
  std::string path;
  Locked held;
};

/// Makes one in `folder`, which is made if missing. `next` makes names unique.
template <class Counter>
UnfinishedFolder make_unfinished(Folder const& root, std::string const& folder, Counter& next) {
  for (int tries = 0; tries < 1000;) {
    auto const above = root.make(folder.empty() ? "." : folder, false);
    if (!above && ++tries) continue;  // another process erased it: make it again
    auto const name = to_text({unfinished_prefix, ::getpid(), "-", next++});
    if (::mkdirat(above->number(), name.c_str(), 0777) != 0) {
      if (errno == EEXIST || (errno == ENOENT && ++tries)) continue;
      fail("make a folder");
    }
    Descriptor made{::openat(above->number(), name.c_str(), read_only | O_DIRECTORY | O_NOFOLLOW)};
    // Until it is locked, other processes may take it for stale and erase it.
    if (!made && errno != ENOENT) fail("open the folder");
    if (made) lock(made.number(), LOCK_EX, {});  // without locks nothing counts as stale
    if (made && has_name(made, above->number(), name.c_str()))
      return {folder.empty() ? name : to_text({folder, "/", name}), Locked{std::move(made)}};
    ++tries;
  }
  fail("make a folder that other processes do not erase at once", EAGAIN);
}

}  // namespace detail::posix
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/posix/unfinished.ipp>
#endif
