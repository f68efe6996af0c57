#pragma once
#include <tessera/node/detail/write_node.hpp>

#include <string>
#include <string_view>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void check_node_path(std::string_view path) {
  if (path.empty()) return;
  check_key(Key{std::string{path}});
  for (auto rest = path;;) {
    auto const slash = rest.find('/');
    auto const name = rest.substr(0, slash);
    if (name.find_first_not_of('.') == name.npos || name.starts_with("__") || is_document(name))
      throw MetadataError{to_text({"not a node's name: ", describe(std::string{name})})}.in_key(path);
    if (slash == rest.npos) return;
    rest.remove_prefix(slash + 1);
  }
}

}}}  // namespace tessera::v0::detail
