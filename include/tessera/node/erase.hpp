// Erases arrays and groups, with all that is below them.
#pragma once
#include <algorithm>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/metadata/missing_node.hpp>
#include <tessera/metadata/node_document.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/folder_lock.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/routed_check.hpp>
#include <tessera/store/unfinished.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

using Keys = std::vector<Key>;

// And before them copies of them.
inline Keys documents_first(Keys keys) {
  auto const documents =
      std::stable_partition(keys.begin(), keys.end(), [](Key const& key) { return has_copies(key.path); });
  std::stable_partition(documents, keys.end(), [](Key const& key) { return makes_node(key.path); });
  return keys;
}

// What a store has below a path, the documents first.
template <class S>
Keys keys_below(S const& store, std::string_view path) {
  Keys keys;
  store.list(path, [&](Listed const& entry) { keys.push_back({std::string{entry.path}}); });
  return documents_first(std::move(keys));
}

// What of it can be erased and nothing else with it: links, the path itself if it is one, not what they lead to.
template <class S>
Keys own_keys_below(S const& store, std::string_view path) {
  Keys keys;
  list_own(store, path, [&](Listed const& entry) { keys.push_back({std::string{entry.path}}); });
  return documents_first(std::move(keys));
}

// Erases what is at a path: copies first, which would open a group, then its document, then documents below, then the
// rest: whoever opens a node finds its chunks. It does so without a document too, which may be damaged, or erased by a
// program that ended then: the rest would be taken for the node that is made there next. Returns whether there was a
// document.
template <class S>
bool erase_below(S const& store, std::string_view path, queue_of<S>& on) {
  auto const& documents = metadata_of(store);
  if constexpr (!ListableStore<S> || !ListableStore<std::remove_cvref_t<decltype(documents)>>) {
    if (node_key(documents, path))
      throw StoreError{"cannot erase a node: the store has no list() to find its chunks with"};
    return false;
  } else {
    auto const found = own_keys_below(documents, path);  // before anything is erased: a store may not be able to say
    auto const chunks = is_split<S> ? own_keys_below(chunks_of(store), path) : Keys{};
    bool const is_link = found.size() == 1 && found.front().path == path;
    auto const document = is_link ? std::nullopt : node_key(documents, path);
    bool const is_there = is_link || document;
    if (path.empty() && !is_there && found.size() + chunks.size() > 0)  // it may be any folder of the user's
      throw StoreError{"there is no node to erase, but other keys; erase them, or what they are part of"};
    auto const below = std::find_if(found.begin(), found.end(), [](Key const& key) { return !has_copies(key.path); });
    for (auto key = found.begin(); key != below; ++key) documents.erase(*key, on.host());
    if (!is_link) documents.erase(document.value_or(document_key(path)), on.host());
    for (auto key = below; key != found.end(); ++key) documents.erase(*key, on.host());
    for (auto const& key : chunks) chunks_of(store).erase(key, on);
    if (!is_link) erase_unfinished(documents, path);
    if constexpr (is_split<S>)
      if (chunks.empty() || chunks.front().path != path) erase_unfinished(chunks_of(store), path);
    return is_there;
  }
}

}  // namespace detail

/// Erases the array or group at `path` ("" is the root) and everything below it, also what killed writers left there. A
/// symbolic link, at the path or below it, is erased itself; what it leads to stays. Returns whether there was a node.
/// Erases documents first: whoever opens or walks meanwhile, or after this ended half-way, finds whole nodes or none;
/// another call erases the rest. Erases chunks of a device's store in the order of `on`. Throws: StoreError.
template <class S>
bool erase_node(S const& store, std::string const& path, queue_of<S>& on) {
  if constexpr (!detail::check_store<S>() || !detail::check_metadata_store<S>() || !detail::check_writable<S>()) {
    return false;
  } else {
    auto const& documents = metadata_of(store);
    detail::drop_consolidated_above(documents, path, ZarrFormat::v2);  // of whichever format the node is
    auto const alone = detail::lock_folder(documents, path, Sharing::alone);
    return detail::erase_below(store, path, on);
  }
}
template <class S>
bool erase_node(S const& store, std::string const& path) {
  queue_of<S> on;
  return erase_node(store, path, on);
}

}}  // namespace tessera::v0
