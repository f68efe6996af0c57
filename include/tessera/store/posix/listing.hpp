// What is in a folder.
#pragma once
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <tessera/core/text.hpp>
#include <tessera/store/links.hpp>
#include <tessera/store/posix/folder.hpp>

namespace tessera { inline namespace v0 {
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

/// A name in a folder, and what it is: a folder, a file of that size, or a link that is not followed.
struct Entry {
  std::string_view name;
  bool is_folder = false;
  std::uint64_t size = 0;
  Link link = Link::none;
};

// Whether a path leads through a folder: what is below it and leads back there leads in a circle.
inline bool leads_through(Folder const& root, std::string const& path, struct stat const& folder) {
  auto const is_same = [&](std::string const& at) {
    auto const found = root.find(at, pass);
    if (!found) return false;
    auto const info = found->status();
    return info.st_dev == folder.st_dev && info.st_ino == folder.st_ino;
  };
  if (is_same(".")) return true;
  for (std::size_t end = path.empty() ? path.npos : 0; end != path.npos;) {
    end = path.find('/', end + 1);
    if (is_same(path.substr(0, end))) return true;
  }
  return false;
}

/// Calls f(Entry) for each file, folder and link in a folder. `follow`: links are shown as what they lead to; one that
/// leads nowhere as a link, so that reading it tells. Else the path itself is no link. Returns whether there was
/// anything. Throws: StoreError, if a link that is followed leads back to a folder on the way to it.
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
      if (errno == ENOENT) continue;  // gone since
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
        throw StoreError{text({"the symbolic link \"", name, "\" leads back to a folder that it is in"})};
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
