#pragma once
#include <tessera/node/group.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void sort_names(std::vector<std::string>& names) { std::ranges::sort(names); }

}}}  // namespace tessera::v0::detail
