// Listing, for_each_in: the entries of a folder.
#pragma once
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/detail/posix/folder.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

/// The names in an open folder.
class Listing {
 public:
  explicit Listing(Descriptor folder);
  Listing(Listing const&) = delete;
  Listing& operator=(Listing const&) = delete;
  ~Listing() { ::closedir(handle_); }

  int folder() const { return ::dirfd(handle_); }
  /// Null: no more.
  char const* next();

 private:
  DIR* handle_;
};

/// A name in a folder: a folder, a file of that size, or a link that is not followed.
struct Entry {
  std::string_view name;
  bool is_folder = false;
  std::uint64_t size = 0;
  Link link = Link::none;
};

// Whether a path leads through `folder`: a link back to it makes a cycle.
TESSERA_DECL bool leads_through(Folder const& root, std::string const& path, struct stat const& folder);

/// Calls f(Entry) for each file, folder and link in a folder. `follow`: shows links as their targets, but one that
/// leads nowhere as a link, so that reading it fails. Otherwise `path` itself must not be a link. Returns whether it
/// found any name. Throws: StoreError, if a followed link leads back to a folder on its path.
template <class F>
bool for_each_in(Folder const& root, std::string const& path, bool follow, F&& f) {
  auto const itself = follow || !root.follows_links() ? 0 : O_NOFOLLOW;
  auto opened = root.find(path.empty() ? "." : path, read_only | O_DIRECTORY | itself);
  if (!opened) return false;
  Listing listing{std::move(*opened)};
  bool any = false;
  while (auto const* name = listing.next()) {
    any = true;
    struct stat info {};
    if (::fstatat(listing.folder(), name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) continue;  // removed since
      fail("look at a file in the folder");
    }
    Entry entry{name};
    if (S_ISLNK(info.st_mode)) {
      bool const leads_on = ::fstatat(listing.folder(), name, &info, 0) == 0;
      if (!leads_on || !follow) {
        entry.link = leads_on && S_ISREG(info.st_mode) ? Link::to_value : Link::to_keys;
        f(std::as_const(entry));
        continue;
      }
      if (S_ISDIR(info.st_mode) && leads_through(root, path, info))
        throw StoreError{to_text({"the symbolic link \"", name, "\" points to a folder that contains it"})};
    }
    entry.is_folder = S_ISDIR(info.st_mode);
    if (!entry.is_folder && !S_ISREG(info.st_mode)) continue;
    if (!entry.is_folder) entry.size = static_cast<std::uint64_t>(info.st_size);
    f(std::as_const(entry));
  }
  return any;
}

}  // namespace detail::posix
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/posix/listing.ipp>
#endif
