// nearest_names: suggestions for a misspelt name, for messages.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The `count` names with the fewest edits, nearest first. Only the text after the last '.' of a name is compared.
[[gnu::cold]] TESSERA_DECL std::vector<std::string_view> nearest_names(std::string_view name,
                                                                 std::vector<std::string_view> names,
                                                                 std::size_t count);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/nearest.ipp>
#endif
