// The names of values in a store (core specification, "Abstract store interface").
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

/// "t1/c/0/0/0": names joined by '/', relative to the store's root.
struct Key {
  std::string path;
};

namespace detail {

// Looked at once, character by character: every chunk's key passes here.
inline bool is_key(std::string_view path) {
  std::size_t length = 0, dots = 0;  // of the name until here
  auto const is_name = [&] { return dots < length || length > 2; };
  for (char const c : path) {
    if (c == '\0') return false;
    if (c == '/') {
      if (!is_name()) return false;
      length = dots = 0;
    } else {
      ++length, dots += c == '.';
    }
  }
  return is_name();
}

}  // namespace detail

/// Whether a store can trust the key not to lead outside: it has no empty name, no "." or "..", and no NUL.
inline void check(Key const& key) {
  if (detail::is_key(key.path)) return;
  StoreError error{"not a key: expected names joined by \"/\", none of them empty, \".\" or \"..\""};
  error.in_key(key.path);
  throw error;
}

/// "t1" and "zarr.json" make "t1/zarr.json"; the root's path is empty.
inline Key operator/(std::string_view path, std::string_view name) {
  Key key{std::string{path}};
  if (!path.empty()) key.path += '/';
  key.path += name;
  return key;
}

}}  // namespace tessera::v0
