// The names of values in a store (core specification, "Abstract store interface").
#pragma once
#include <string>
#include <string_view>

#include <tessera/core/error.hpp>

namespace tessera::inline v0 {

/// "t1/c/0/0/0": names joined by '/', relative to the store's root.
struct Key {
  std::string path;
};

/// A key that a store can trust never to lead outside: no empty name, no "." or "..", no NUL.
/// Throws: StoreError.
inline void check(Key const& key) {
  std::string_view rest = key.path;
  for (;;) {
    auto const slash = rest.find('/');
    auto const name = rest.substr(0, slash);
    if (name.empty() || name == "." || name == ".." || name.find('\0') != name.npos) {
      StoreError error{"not a key: expected names joined by \"/\", none of them empty, \".\" or \"..\""};
      error.in_key(key.path);
      throw error;
    }
    if (slash == rest.npos) return;
    rest.remove_prefix(slash + 1);
  }
}

/// "t1" and "zarr.json" make "t1/zarr.json"; the root's path is empty.
inline Key operator/(std::string_view path, std::string_view name) {
  Key key{std::string{path}};
  if (!path.empty()) key.path += '/';
  key.path += name;
  return key;
}

}  // namespace tessera::inline v0
