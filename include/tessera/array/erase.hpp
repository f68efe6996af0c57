// Erases arrays and groups, with all that is below them.
#pragma once
#include <algorithm>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tessera/array/node_document.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/folder_lock.hpp>
#include <tessera/store/get.hpp>

namespace tessera::inline v0 {
namespace detail {

using Keys = std::vector<Key>;

// What a store has below a path, the documents first.
template <class S>
Keys keys_below(S const& store, std::string_view path) {
  Keys keys;
  store.list(path, [&](Listed const& entry) { keys.push_back({std::string{entry.path}}); });
  std::stable_partition(keys.begin(), keys.end(),
                        [](Key const& key) { return key.path == "zarr.json" || key.path.ends_with("/zarr.json"); });
  return keys;
}

// Whether documents and chunks are in stores of their own, which may be one folder all the same.
template <class S>
inline constexpr bool is_split = requires(S const& store) {
  store.metadata_store();
};

// What stands at a path goes, its document first, then those below, then the rest: who opens a node never finds it
// without its chunks. Without a document too, which may be damaged or was erased by a program that ended then: the rest
// would be taken for what is made there next. Returns whether there was a document.
template <class S>
bool erase_below(S const& store, std::string_view path, queue_of<S>& on) {
  auto const& documents = metadata_of(store);
  bool const is_there = size(documents, document_key(path), on.host()).has_value();
  if constexpr (!ListableStore<S> || !ListableStore<std::remove_cvref_t<decltype(documents)>>) {
    if (is_there) throw StoreError{"cannot erase a node: the store has no list() to find its chunks with"};
  } else {
    auto const found = keys_below(documents, path);  // before anything is erased: a store may not be able to say
    auto const chunks = is_split<S> ? keys_below(chunks_of(store), path) : Keys{};
    if (path.empty() && !is_there && found.size() + chunks.size() > 0)  // it may be any folder of the user's
      throw StoreError{"there is no node to erase, but other keys; erase them, or what they are part of"};
    documents.erase(document_key(path), on.host());
    for (auto const& key : found) documents.erase(key, on.host());
    for (auto const& key : chunks) chunks_of(store).erase(key, on);
  }
  return is_there;
}

}  // namespace detail

/// Erases the array or group at `path` ("" is the root) and all that is below it. Returns whether there was one. The
/// documents go first: who opens or walks meanwhile, or after this ended half-way, finds whole nodes or none; what is
/// left then goes when this is called again. Chunks of a device's store are erased in the order of `on`. Throws:
/// StoreError.
template <class S>
bool erase_node(S const& store, std::string const& path, queue_of<S>& on) {
  if constexpr (!detail::check_store<S>() || !detail::check_metadata_store<S>() || !detail::check_writable<S>()) {
    return false;
  } else {
    auto const& documents = metadata_of(store);
    detail::for_each_ancestor(path, [&](std::string_view above) { detail::drop_consolidated(documents, above); });
    auto const alone = detail::lock_folder(documents, path, Sharing::alone);
    return detail::erase_below(store, path, on);
  }
}
template <class S>
bool erase_node(S const& store, std::string const& path) {
  queue_of<S> on;
  return erase_node(store, path, on);
}

}  // namespace tessera::inline v0
