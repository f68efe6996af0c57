#pragma once
#include <tessera/node/detail/erase.hpp>

#include <algorithm>
#include <string_view>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL Keys documents_first(Keys keys) {
  auto const documents =
      std::stable_partition(keys.begin(), keys.end(), [](Key const& key) { return has_copies(key.path); });
  std::stable_partition(documents, keys.end(), [](Key const& key) { return makes_node(key.path); });
  return keys;
}

TESSERA_DECL std::string_view folder_of(Key const& key) {
  auto const slash = key.path.rfind('/');
  return slash == key.path.npos ? std::string_view{} : std::string_view{key.path}.substr(0, slash);
}

}}}  // namespace tessera::v0::detail
