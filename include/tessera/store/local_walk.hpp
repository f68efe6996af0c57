// What is below a LocalStore's folder.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/key/key.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/local_root.hpp>
#include <tessera/store/posix/listing.hpp>
#include <tessera/store/posix/unfinished.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Names of files that begin so are no keys, and those of folders that writers give.
inline bool is_hidden(posix::Entry const& entry) {
  return entry.is_folder ? posix::is_unfinished(entry.name) : entry.name.starts_with(posix::unfinished_prefix);
}

/// Calls f(posix::Entry) for what is in a folder. `follow`: as posix::for_each_in's. Throws: StoreError naming folder
/// and store.
template <class F>
void for_each_in(LocalRoot& root, std::string_view prefix, bool follow, F&& f) {
  try {
    std::string const folder{prefix};
    if (!prefix.empty()) check(Key{folder});
    root.find([&](auto const& found) { return posix::for_each_in(found, folder, follow, f); });
  } catch (StoreError& error) {
    error.in_key(prefix).in_store(root.path);
    throw;
  }
}

/// Calls f(path, posix::Entry) for all that is below; into the folders for which it is true.
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

inline void list_below(LocalRoot& root, std::string_view prefix, bool follow, Visitor visit) {
  walk(root, prefix, follow, [&](std::string const& path, posix::Entry const& entry) {
    if (is_hidden(entry)) return false;
    if (!entry.is_folder) visit({path, false, entry.size, entry.link});
    return true;
  });
}

}}}  // namespace tessera::v0::detail
