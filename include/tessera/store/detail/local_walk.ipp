#pragma once
#include <tessera/store/detail/local_walk.hpp>

#include <string>
#include <string_view>

#include <tessera/store/concept.hpp>
#include <tessera/store/detail/local_root.hpp>
#include <tessera/store/detail/posix/listing.hpp>
#include <tessera/store/detail/posix/unfinished.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL bool is_hidden(posix::Entry const& entry) {
  return entry.is_folder ? posix::is_unfinished(entry.name) : entry.name.starts_with(posix::unfinished_prefix);
}

TESSERA_DECL void list_below(LocalRoot& root, std::string_view prefix, bool follow, Visitor visit) {
  walk(root, prefix, follow, [&](std::string const& path, posix::Entry const& entry) {
    if (is_hidden(entry)) return false;
    if (!entry.is_folder) visit({path, false, entry.size, entry.link});
    return true;
  });
}

}}}  // namespace tessera::v0::detail
