// rename, exchange: change paths of folders atomically.
#pragma once
#include <string>

#include <stdio.h>

#include <tessera/core/config.hpp>
#include <tessera/store/detail/posix/folder.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

/// Moves a folder, or a link to one, atomically: paths below it lead to one place or the other, complete. Replaces
/// empty folders; anything else there is an error. Returns whether the folder existed.
TESSERA_DECL bool rename(Folder const& root, std::string const& from, std::string const& to, bool sync);

/// Exchanges the paths of two folders, or links, atomically: either path always leads to one of them. False: the file
/// system cannot. Throws: StoreError, if one is missing.
TESSERA_DECL bool exchange(Folder const& root, std::string const& one, std::string const& other, bool sync);

}  // namespace detail::posix
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/posix/rename.ipp>
#endif
