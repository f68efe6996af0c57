// Moving a node by copies, in stores that cannot rename a folder.
#pragma once
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <tessera/key/key.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/node/detail/erase.hpp>
#include <tessera/node/detail/lock_nodes.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 {
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
}}  // namespace tessera::v0
