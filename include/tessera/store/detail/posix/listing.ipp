#pragma once
#include <tessera/store/detail/posix/listing.hpp>

#include <cerrno>
#include <string>
#include <string_view>

#include <dirent.h>
#include <sys/stat.h>

#include <tessera/store/detail/posix/folder.hpp>

namespace tessera { inline namespace v0 { namespace detail { namespace posix {

TESSERA_DECL Listing::Listing(Descriptor folder) : handle_{::fdopendir(folder.number())} {
  if (!handle_) fail("list the folder");
  folder.release();
}

TESSERA_DECL char const* Listing::next() {
  for (;;) {
    errno = 0;
    auto const* entry = ::readdir(handle_);
    if (!entry && errno != 0) fail("list the folder");
    if (!entry) return nullptr;
    std::string_view const name = entry->d_name;
    if (name != "." && name != "..") return entry->d_name;
  }
}

TESSERA_DECL bool leads_through(Folder const& root, std::string const& path, struct stat const& folder) {
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

}}}}  // namespace tessera::v0::detail::posix
