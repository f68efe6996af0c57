// Key: the name of a value in a store (core specification, "Abstract store interface").
#pragma once
#include <string>
#include <string_view>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

/// Its `path` is "t1/c/0/0/0": names joined by '/', relative to the store's root.
struct Key {
  std::string path;
};

namespace detail {

// One pass: it runs for every chunk's key.
TESSERA_DECL bool is_key(std::string_view path);

}  // namespace detail

/// Throws: StoreError, if the key could lead outside the store: it has an empty name, "." or "..", or NUL.
TESSERA_DECL void check_key(Key const& key);
[[deprecated("tessera: check(Key) was renamed check_key")]] inline void check(Key const& key) { check_key(key); }

/// "t1" and "zarr.json" make "t1/zarr.json"; the root's path is empty.
TESSERA_DECL Key operator/(std::string_view path, std::string_view name);

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/key/detail/key.ipp>
#endif
