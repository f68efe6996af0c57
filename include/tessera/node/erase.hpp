// erase_node: erases an array or group and everything below it.
#pragma once
#include <string>

#include <tessera/node/detail/erase.hpp>
#include <tessera/node/detail/lock_nodes.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {

/// Erases the array or group at `path` ("" is the root) and everything below it, including files left by killed
/// writers. Of a symbolic link, at the path or below it, only the link is erased. Returns whether there was a node.
/// Erases documents first: a reader meanwhile, or after an interrupted call, finds whole nodes or none; another call
/// erases the rest. Erases chunks of a device's store in the order of `on`. Throws: StoreError.
template <class S>
bool erase_node(S const& store, std::string const& path, queue_of<S>& on) {
  if constexpr (!detail::check_store<S>() || !detail::check_metadata_store<S>() || !detail::check_writable<S>()) {
    return false;
  } else {
    auto const& documents = metadata_of(store);
    auto const locks = detail::lock_nodes(documents, {path});
    detail::drop_consolidated_above(documents, path, ZarrFormat::v2);  // whichever format the node has
    return detail::erase_below(store, path, on);
  }
}
template <class S>
bool erase_node(S const& store, std::string const& path) {
  queue_of<S> on;
  return erase_node(store, path, on);
}

}}  // namespace tessera::v0
