// Moves arrays and groups, with all that is below them, to another path of their store.
#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <tessera/node/erase.hpp>
#include <tessera/node/write_node.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/folder_lock.hpp>
#include <tessera/store/get.hpp>

namespace tessera { inline namespace v0 {

/// `rename` gives all keys below one folder to another, at once: a reader sees all of them there or here. Returns
/// whether there were any. Throws: StoreError, if the other folder has keys.
template <class S>
concept RenamingStore = requires(S const& store, std::string_view path) {
  { store.rename(path, path) } -> std::same_as<bool>;
};

namespace detail {

template <class S>
void copy_key(S const& store, Key const& key, std::string_view from, std::string_view to, queue_of<S>& on) {
  auto const value = get(store, key, on);
  if (value) store.write(to / key.path.substr(from.size() + 1), value->view(), on);
}

// Copies all keys below a path to below another: chunks first, then documents, the one that makes the node last, and
// behind it copies of documents. So a document that is there has its chunks.
template <class S>
void copy_below(S const& store, Key const& own, std::string_view from, std::string_view to, queue_of<S>& on) {
  auto const& documents = metadata_of(store);
  auto const of_documents = keys_below(documents, from);
  auto const of_chunks = is_split<S> ? keys_below(chunks_of(store), from) : Keys{};
  if (!keys_below(documents, to).empty() || (is_split<S> && !keys_below(chunks_of(store), to).empty()))
    throw StoreError{text({"there is no node at \"", to, "\", but other keys; erase them first"})};
  std::unordered_set<std::string_view> copied;  // both halves may show the same keys
  for (auto const& key : of_chunks)
    if (!makes_node(key.path) && !has_copies(key.path)) {
      copy_key(chunks_of(store), key, from, to, on);
      copied.insert(key.path);
    }
  for (auto key = of_documents.rbegin(); key != of_documents.rend(); ++key)  // the documents are in front
    if (key->path != own.path && !has_copies(key->path) && !copied.contains(key->path))
      copy_key(documents, *key, from, to, on.host());
  copy_key(documents, own, from, to, on.host());
  for (auto const& key : of_documents)
    if (has_copies(key.path)) copy_key(documents, key, from, to, on.host());
}

}  // namespace detail

/// Moves the array or group at `from`, with everything below it, to the path `to`, which must be free; it makes the
/// missing groups above. A store that can rename a folder (LocalStore, MemoryStore) does it at once: the node is at one
/// path or at the other. Otherwise, as in a SplitStore, it copies, chunks before documents, and then erases, documents
/// before chunks: a program that ends half-way leaves the node at `from`, or at both, whole where its document is.
/// Handles that were opened before know only the old path. Throws: MetadataError, if there is no node, or there is one
/// at `to`; StoreError.
template <class S>
void move_node(S const& store, std::string const& from, std::string const& to, queue_of<S>& on) {
  if constexpr (detail::check_store<S>() && detail::check_metadata_store<S>() && detail::check_writable<S>()) {
    auto const& documents = metadata_of(store);
    detail::in_document(store, from, [&] {
      detail::check_node_path(to);
      if (from.empty() || to.empty()) throw MetadataError{"the root is not moved, nor anything to where it is"};
      auto const own = detail::node_key(documents, from);
      if (!own) throw detail::missing_node(documents, from, "node");
      if (to.starts_with(from + '/')) throw MetadataError{text({"it cannot be moved below itself, to \"", to, "\""})};
      if (detail::node_key(documents, to))
        throw MetadataError{text({"it cannot be moved to \"", to, "\": there is a node"})};
      detail::make_ancestors(documents, to, own->path.ends_with("zarr.json") ? ZarrFormat::v3 : ZarrFormat::v2);
      detail::drop_consolidated_above(documents, from, ZarrFormat::v2);
      auto const alone = detail::lock_folder(documents, from, Sharing::alone);
      if constexpr (RenamingStore<S> && !detail::is_split<S>) {
        if (!store.rename(from, to)) throw MetadataError{"there is no node: it went meanwhile"};
      } else if constexpr (ListableStore<S>) {
        detail::copy_below(store, *own, from, to, on);
        detail::erase_below(store, from, on);
      } else {
        throw StoreError{"cannot move a node: the store has no list() to find its chunks with"};
      }
    });
  }
}
template <class S>
void move_node(S const& store, std::string const& from, std::string const& to) {
  queue_of<S> on;
  move_node(store, from, to, on);
}

}}  // namespace tessera::v0
