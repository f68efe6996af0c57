// Files and folders of LocalStore: find_file, make_folders.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include <sys/stat.h>

#include <tessera/core/config.hpp>
#include <tessera/store/detail/posix/folder.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

struct OpenFile {
  Descriptor descriptor;
  std::uint64_t size;
};

/// False: a folder. Throws: StoreError, if it is no regular file either.
TESSERA_DECL bool is_value(struct stat const& info);

/// nullopt: missing, or a folder.
TESSERA_DECL std::optional<OpenFile> find_file(Folder const& root, std::string const& path);

/// Makes a folder and its missing parents, at any path.
TESSERA_DECL void make_folders(std::string const& path, bool sync);

}  // namespace detail::posix
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/posix/files.ipp>
#endif
