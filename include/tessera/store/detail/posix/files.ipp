#pragma once
#include <tessera/store/detail/posix/files.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

#include <tessera/core/error.hpp>
#include <tessera/store/detail/posix/folder.hpp>

namespace tessera { inline namespace v0 { namespace detail { namespace posix {

TESSERA_DECL bool is_value(struct stat const& info) {
  if (S_ISDIR(info.st_mode)) return false;
  if (!S_ISREG(info.st_mode)) throw StoreError{"not a regular file"};
  return true;
}

TESSERA_DECL std::optional<OpenFile> find_file(Folder const& root, std::string const& path) {
  auto found = root.find(path, read_only);
  if (!found) return std::nullopt;
  auto const info = found->status();
  if (!is_value(info)) return std::nullopt;
  return OpenFile{std::move(*found), static_cast<std::uint64_t>(info.st_size)};
}

TESSERA_DECL void make_folders(std::string const& path, bool sync) {
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

}}}}  // namespace tessera::v0::detail::posix
