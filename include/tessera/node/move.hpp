// move_node: moves an array or group, with everything below it, to another path of its store.
#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <tessera/metadata/detail/fill_value.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/node/detail/lock_nodes.hpp>
#include <tessera/node/detail/write_node.hpp>
#include <tessera/node/erase.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 {

/// `rename` moves all keys below one folder to another, atomically for readers. Returns whether there were any. Throws:
/// StoreError, if the other folder has keys.
template <class S>
concept RenamingStore = requires(S const& store, std::string_view path) {
  { store.rename(path, path) } -> std::same_as<bool>;
};

namespace detail {

template <class S>
void copy_key(S const& store, Key const& key, std::string_view from, std::string_view to, queue_of<S>& on) {
  auto const value = get_value(store, key, on);
  if (value) store.write(to / key.path.substr(from.size() + 1), value->view(), on);
}

// Copies all keys below a path to another: chunks, then documents, the one that makes the node last, then copies of
// documents. So every document found there has its chunks.
template <class S>
void copy_below(S const& store, Key const& own, std::string_view from, std::string_view to, queue_of<S>& on) {
  auto const& documents = metadata_of(store);
  auto const of_documents = keys_below(documents, from);
  auto const of_chunks = is_split<S> ? keys_below(chunks_of(store), from) : Keys{};
  if (!keys_below(documents, to).empty() || (is_split<S> && !keys_below(chunks_of(store), to).empty()))
    throw StoreError{to_text({"found keys at \"", to, "\", but no node; erase them first"})};
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

// For a locked document about to be erased: its attributes, and copies in it, may have changed since it was copied.
template <class D>
void copy_again(D const& documents, Key const& key, std::string_view from, std::string_view to) {
  auto const now = read_text(documents, key);
  auto const copy = to / key.path.substr(from.size() + 1);
  if (now && read_text(documents, copy) != now) write_text(documents, copy, *now);
}

// Locks all nodes below a path exclusively, each once. Does not follow links to nodes.
template <class D>
std::vector<FolderLock> lock_below([[maybe_unused]] D const& documents, [[maybe_unused]] std::string_view path) {
  if constexpr (LocksFolders<D>) {
    std::vector<FolderToLock> wanted;
    for (auto const& key : own_keys_below(documents, path))
      if (makes_node(key.path) && folder_of(key) != path)
        wanted.push_back({std::string{folder_of(key)}, Sharing::alone});
    return lock_folders(documents, std::move(wanted));
  } else {
    return {};
  }
}

}  // namespace detail

/// Moves the array or group at `from`, with everything below it, to the free path `to`; makes the missing groups above.
/// A store that can rename a folder (LocalStore, MemoryStore) does it atomically. Otherwise, as in a SplitStore, it
/// copies, chunks before documents, and then erases, documents before chunks: an interrupted call leaves the node at
/// `from`, or at both paths, whole where its document is. Handles opened before know only the old path. Throws:
/// NodeNotFound; MetadataError, if there is a node at `to`; StoreError.
template <class S>
void move_node(S const& store, std::string const& from, std::string const& to, queue_of<S>& on) {
  if constexpr (detail::check_store<S>() && detail::check_metadata_store<S>() && detail::check_writable<S>()) {
    auto const& documents = metadata_of(store);
    detail::in_document(store, from, [&] {
      detail::check_node_path(to);
      if (from.empty() || to.empty())
        throw MetadataError{"the root cannot be moved, and no node can be moved to the root"};
      if (to.starts_with(from + '/') && detail::node_key(documents, from))
        throw MetadataError{to_text({"it cannot be moved below itself, to \"", to, "\""})};
      auto const movable = [&] {
        auto own = detail::node_key(documents, from);
        if (!own) throw detail::missing_node(documents, from, "node");
        if (detail::node_key(documents, to))
          throw MetadataError{to_text({"it cannot be moved to \"", to, "\": there is a node"})};
        return *std::move(own);
      };
      auto const format = movable().path.ends_with("zarr.json") ? ZarrFormat::v3 : ZarrFormat::v2;
      auto const locks = detail::lock_new_node(documents, to, format, {from, to});
      [[maybe_unused]] auto const own = movable();  // another writer may have replaced it before it was locked
      detail::drop_consolidated_above(documents, from, ZarrFormat::v2);
      if constexpr (RenamingStore<S> && !detail::is_split<S>) {
        if (!store.rename(from, to)) throw NodeNotFound{"no node at this path: another writer moved or erased it"};
      } else if constexpr (ListableStore<S>) {
        auto const below = detail::lock_below(documents, from);  // a change made after the copy would be lost
        detail::copy_below(store, own, from, to, on);
        detail::erase_below(store, from, on, detail::Below::locked, [&](Key const& document) {
          detail::copy_again(documents, document, from, to);
        });
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
