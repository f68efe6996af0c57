// erase_below: erases the documents and the chunks of a node whose folder is locked.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/metadata/detail/missing_node.hpp>
#include <tessera/node/detail/lock_nodes.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/routed_check.hpp>
#include <tessera/store/detail/unfinished.hpp>
#include <tessera/store/detail/value_changed.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 { namespace detail {

using Keys = std::vector<Key>;

// Copies of documents come before the documents.
TESSERA_DECL Keys documents_first(Keys keys);

// All keys that a store has below a path, documents first.
template <class S>
Keys keys_below(S const& store, std::string_view path) {
  Keys keys;
  store.list(path, [&](Listed const& entry) { keys.push_back({std::string{entry.path}}); });
  return documents_first(std::move(keys));
}

// The keys below a path that can be erased without erasing anything else: symbolic links (the path itself, if it is
// one), but not their targets.
template <class S>
Keys own_keys_below(S const& store, std::string_view path) {
  Keys keys;
  list_own(store, path, [&](Listed const& entry) { keys.push_back({std::string{entry.path}}); });
  return documents_first(std::move(keys));
}

// At once, if the store can.
template <class S>
void erase_each(S const& store, Keys const& keys, queue_of<S>& on) {
  if constexpr (requires { store.erase_many(keys, on); })
    store.erase_many(keys, on);
  else
    for (auto const& key : keys) store.erase(key, on);
}

TESSERA_DECL std::string_view folder_of(Key const& key);

// Erases the document that makes a node, under the lock held by writers of the document or its attributes, so that none
// writes it anew. Also erases the attributes of a Zarr v2 node. Calls `last(key)` before erasing a key.
template <class D>
void erase_document(D const& documents, Key const& key, FunctionRef<void(Key const&)> last) {
  queue_of<D> on;
  auto const erase = [&](Key const& one) {
    last(one);
    documents.erase(one, on);
  };
  auto const attributes = v2_attributes_key(folder_of(key));
  bool const is_v3 = key.path.ends_with("zarr.json");
  until_unchanged([&] {
    [[maybe_unused]] auto const held = lock_of(documents, is_v3 ? key : attributes);
    erase(key);
    if (!is_v3 && value_size(documents, attributes, on)) erase(attributes);
  });
}

/// Whether the folders of nodes below the erased one are locked already.
enum class Below { locked, not_locked };

// Erases the node at a locked path: copies first, with which a group would open; then its document; then documents
// below, each while its folder is locked; then the rest. So every node that opens has its chunks. Works without a
// document too (damaged, or erased by a program that ended then), because the next node made there would include the
// rest. Returns whether there was a document.
template <class S>
bool erase_below(S const& store, std::string_view path, queue_of<S>& on, Below nodes = Below::not_locked,
                 FunctionRef<void(Key const&)> last = [](Key const&) {}) {
  auto const& documents = metadata_of(store);
  if constexpr (!ListableStore<S> || !ListableStore<std::remove_cvref_t<decltype(documents)>>) {
    if (node_key(documents, path))
      throw StoreError{"cannot erase a node: the store has no list() to find its chunks with"};
    return false;
  } else {
    auto found = own_keys_below(documents, path);  // before erasing: the store may be unable to list
    auto chunks = is_split<S> ? own_keys_below(chunks_of(store), path) : Keys{};
    bool const is_link = found.size() == 1 && found.front().path == path;
    auto const document = is_link ? std::nullopt : node_key(documents, path);
    bool const is_there = is_link || document;
    if (path.empty() && !is_there && found.size() + chunks.size() > 0)  // it may be any folder of the user's
      throw StoreError{"found keys, but no node to erase; erase the keys, or what they are part of"};
    for (auto const& key : found)
      if (has_copies(key.path)) documents.erase(key, on.host());
    if (!is_link) erase_document(documents, document.value_or(document_key(path)), last);
    bool has_nodes_below = false;
    for (auto const& key : found) {
      if (is_link || !makes_node(key.path)) continue;
      bool const is_below = folder_of(key) != path;
      has_nodes_below = has_nodes_below || is_below;
      auto const alone = is_below && nodes == Below::not_locked
                             ? lock_folder(documents, folder_of(key), Sharing::alone)
                             : FolderLock{};
      if (!document || key.path != document->path) erase_document(documents, key, last);
    }
    if (has_nodes_below && nodes == Below::not_locked) {  // appends may have written chunks meanwhile
      found = own_keys_below(documents, path);
      if constexpr (is_split<S>) chunks = own_keys_below(chunks_of(store), path);
    } else if (!is_link) {
      std::erase_if(found, [](Key const& key) { return makes_node(key.path) || has_copies(key.path); });
    }
    erase_each(documents, found, on.host());
    erase_each(chunks_of(store), chunks, on);
    if (!is_link) erase_unfinished(documents, path);
    if constexpr (is_split<S>)
      if (chunks.empty() || chunks.front().path != path) erase_unfinished(chunks_of(store), path);
    return is_there;
  }
}

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/node/detail/erase.ipp>
#endif
