// remove_empty: removes folders with no files but leftovers of writers.
#pragma once
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

/// Removes a folder with nothing but folders, as other programs leave them after erasing the contents, and leftovers of
/// writers that ended. A folder with anything else stays complete. False: it is still in the way. If true, another
/// process may have made it again.
TESSERA_DECL bool remove_empty(int above, char const* name);

}  // namespace detail::posix
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/posix/empty_folders.ipp>
#endif
