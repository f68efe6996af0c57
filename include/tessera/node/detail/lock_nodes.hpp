// lock_nodes: the folder locks held while nodes are made, moved, converted, consolidated or erased. A node's own folder
// is locked exclusively, those above it are shared. So the second of two programs that change one hierarchy waits, and
// no node is made below a folder that another program erases or moves.
//
// append, resize and changes of attributes lock one node only. Locks are acquired in walk order, parents before
// children. While a key is locked, no other lock is waited for.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/metadata/detail/consolidated.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class D>
concept LocksFolders = requires(D const& documents, std::string_view path) {
  documents.lock_folder(path, Sharing::alone);
};

struct FolderToLock {
  std::string path;
  Sharing sharing;
};

/// Whether a walk visits `a` before `b`.
TESSERA_DECL bool is_walked_before(std::string_view a, std::string_view b);

/// Sorts in walk order; for the same folder, exclusive locks first.
TESSERA_DECL void sort_by_walk(std::vector<FolderToLock>& folders);

/// Locks folders, each once: exclusively, if any entry for it asks so. A missing folder has no lock.
template <class D>
std::vector<FolderLock> lock_folders(D const& documents, std::vector<FolderToLock> wanted) {
  sort_by_walk(wanted);
  std::vector<FolderLock> locks;
  locks.reserve(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (i == 0 || wanted[i].path != wanted[i - 1].path)
      locks.push_back(lock_folder(documents, wanted[i].path, wanted[i].sharing));
  return locks;
}

/// Locks the nodes at these paths exclusively, and shares the folders above them. The last lock is that of the last
/// path in walk order.
template <class D>
std::vector<FolderLock> lock_nodes([[maybe_unused]] D const& documents,
                                   [[maybe_unused]] std::initializer_list<std::string_view> paths) {
  if constexpr (LocksFolders<D>) {
    std::vector<FolderToLock> wanted;
    for (auto const path : paths) {
      for_each_ancestor(path, [&](std::string_view above) { wanted.push_back({std::string{above}, Sharing::shared}); });
      wanted.push_back({std::string{path}, Sharing::alone});
    }
    return lock_folders(documents, std::move(wanted));
  } else {
    return {};
  }
}

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/node/detail/lock_nodes.ipp>
#endif
