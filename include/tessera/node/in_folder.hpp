// Overloads that accept a folder's name as store: `open_array<float, 3>("data.zarr", "a")` opens a
// LocalStore<HostBuffer>, as `open` and `open_group` do.
#pragma once
#include <cstddef>
#include <string>
#include <utility>

#include <tessera/metadata/attributes.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/detail/folder.hpp>
#include <tessera/node/erase.hpp>
#include <tessera/node/move.hpp>
#include <tessera/node/open.hpp>

namespace tessera { inline namespace v0 {

/// open_any of a folder.
template <class Codec = BuiltInCodecs, detail::FolderName S, class... On>
auto open_any(S const& folder, std::string path = "", On... on) {
  return open_any<Codec>(detail::store_of(folder), std::move(path), std::move(on)...);
}
/// open_array of a folder.
template <class T, std::size_t Rank, class Codec = detail::codecs_for<T, BuiltInCodecs>, detail::FolderName S,
          class... On>
auto open_array(S const& folder, std::string path = "", On... on) {
  return open_array<T, Rank, Codec>(detail::store_of(folder), std::move(path), std::move(on)...);
}
/// create_any in a folder.
template <class Codec = BuiltInCodecs, detail::FolderName S, class... On>
auto create_any(S const& folder, std::string path, ArrayMetadata metadata, CreateOptions options = {}, On... on) {
  return create_any<Codec>(detail::store_of(folder), std::move(path), std::move(metadata), options, std::move(on)...);
}
/// create_array in a folder.
template <class T, std::size_t Rank, class P = detail::usual_pipeline<T>, detail::FolderName S, class... On>
auto create_array(S const& folder, std::string path, NewArray<T> const& wanted, P const& pipeline = {}, On... on) {
  return create_array<T, Rank>(detail::store_of(folder), std::move(path), wanted, pipeline, std::move(on)...);
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
