// walk: the files and folders below a LocalStore's folder.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/key/key.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/local_root.hpp>
#include <tessera/store/detail/posix/listing.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Whether listings omit an entry: a file with the prefix, or a folder with a full unfinished name.
TESSERA_DECL bool is_hidden(posix::Entry const& entry);

/// Calls f(posix::Entry) for the entries of a folder. `follow`: as for posix::for_each_in. Throws: StoreError naming
/// folder and store.
template <class F>
void for_each_in(LocalRoot& root, std::string_view prefix, bool follow, F&& f) {
  try {
    std::string const folder{prefix};
    if (!prefix.empty()) check_key(Key{folder});
    root.find([&](auto const& found) { return posix::for_each_in(found, folder, follow, f); });
  } catch (StoreError& error) {
    error.in_key(prefix).in_store(root.path);
    throw;
  }
}

/// Calls f(path, posix::Entry) for everything below; enters the folders for which f returns true.
template <class F>
void walk(LocalRoot& root, std::string_view prefix, bool follow, F&& f) {
  std::vector<std::string> folders{std::string{prefix}};  // no recursion: folders may be nested without bound
  while (!folders.empty()) {
    auto const folder = std::move(folders.back());
    folders.pop_back();
    for_each_in(root, folder, follow, [&](posix::Entry const& entry) {
      auto path = (folder / entry.name).path;
      if (f(std::as_const(path), entry) && entry.is_folder) folders.push_back(std::move(path));
    });
  }
}

TESSERA_DECL void list_below(LocalRoot& root, std::string_view prefix, bool follow, Visitor visit);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/local_walk.ipp>
#endif
