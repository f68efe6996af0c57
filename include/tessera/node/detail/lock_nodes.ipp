#pragma once
#include <tessera/node/detail/lock_nodes.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL bool is_walked_before(std::string_view a, std::string_view b) {
  auto const rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c); };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char one, char other) { return rank(one) < rank(other); });
}

TESSERA_DECL void sort_by_walk(std::vector<FolderToLock>& folders) {
  std::sort(folders.begin(), folders.end(), [](FolderToLock const& a, FolderToLock const& b) {
    return a.path == b.path ? a.sharing == Sharing::alone && b.sharing == Sharing::shared
                            : is_walked_before(a.path, b.path);
  });
}

}}}  // namespace tessera::v0::detail
