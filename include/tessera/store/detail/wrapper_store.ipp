#pragma once
#include <tessera/store/wrapper_store.hpp>

#include <algorithm>

#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL Listed PathsBelow::shown(Listed entry) const {
  if (!folder.empty()) entry.path.remove_prefix(std::min(folder.size() + 1, entry.path.size()));
  return entry;
}

}}}  // namespace tessera::v0::detail
