// exists, erase_node, move_node: whether there is an array or group at a path, erasing it, and moving it with
// everything below it. These, and the functions of attributes, also take a folder's name in place of a store.
#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/metadata/attributes.hpp>
#include <tessera/metadata/detail/missing_node.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/node/detail/erase.hpp>
#include <tessera/node/detail/folder.hpp>
#include <tessera/node/detail/lock_nodes.hpp>
#include <tessera/node/detail/move.hpp>
#include <tessera/node/detail/write_node.hpp>
#include <tessera/node/group.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {

/// Whether there is an array or a group at `path` ("" is the root), of either format; also true, if its document is
/// damaged. The store may be a folder's name. Throws: StoreError.
template <class S>
bool exists(S const& given, std::string_view path = "") {
  using Store = detail::store_of_t<S>;
  if constexpr (!detail::check_store<Store>() || !detail::check_metadata_store<Store>())
    return false;
  else
    return detail::node_key(metadata_of(detail::store_of(given)), path).has_value();
}
/// Whether there is a node below a group, by its path from there. A node in the group's consolidated metadata is found
/// without a request.
template <class S>
bool exists(Group<S> const& group, std::string_view path) {
  auto const below = group / path;
  if (auto const& copies = group.consolidated(); copies && detail::node_type(*copies, below)) return true;
  return exists(group.store(), below);
}

/// Erases the array or group at `path` ("" is the root) and everything below it, including files left by killed
/// writers. For a symbolic link at the path or below it, erases only the link. Returns whether there was a node. Erases
/// documents first. So a reader at the same time, or after an interrupted call, finds complete nodes or none. Another
/// call erases the rest. Erases chunks of a device's store in the order of `on`. Throws: StoreError.
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

/// `rename` moves all keys below one folder to another, atomically for readers. Returns whether there were any. Throws:
/// StoreError, if the other folder has keys.
template <class S>
concept RenamingStore = requires(S const& store, std::string_view path) {
  { store.rename(path, path) } -> std::same_as<bool>;
};

/// Moves the array or group at `from`, with everything below it, to the free path `to`; makes the missing groups above.
/// A store that can rename a folder (LocalStore, MemoryStore) does it atomically. Otherwise, as in a SplitStore, it
/// copies, chunks before documents, and then erases, documents before chunks: after an interrupted call the node is at
/// `from` or at both paths; where its document exists, it is complete. Handles that were opened before still use the
/// old path. Throws: NodeNotFound; MetadataError, if there is a node at `to`; StoreError.
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

/// erase_node in a folder.
template <detail::FolderName S>
bool erase_node(S const& folder, std::string const& path) {
  return erase_node(detail::store_of(folder), path);
}
/// move_node in a folder.
template <detail::FolderName S>
void move_node(S const& folder, std::string const& from, std::string const& to) {
  move_node(detail::store_of(folder), from, to);
}

/// get_attributes of a node in a folder.
template <detail::FolderName S>
Members get_attributes(S const& folder, std::string const& path) {
  return get_attributes(detail::store_of(folder), path);
}
/// set_attributes of a node in a folder.
template <detail::FolderName S>
void set_attributes(S const& folder, std::string const& path, Members const& attributes) {
  set_attributes(detail::store_of(folder), path, attributes);
}
/// merge_attributes of a node in a folder.
template <detail::FolderName S>
Members merge_attributes(S const& folder, std::string const& path, Members const& attributes) {
  return merge_attributes(detail::store_of(folder), path, attributes);
}

}}  // namespace tessera::v0
