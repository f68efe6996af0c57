// From a path on disk to a node of a hierarchy in a store.
#pragma once
#include <filesystem>
#include <string>
#include <system_error>

#include <tessera/store/local_store.hpp>

namespace cli {

using Store = tessera::LocalStore<tessera::HostBuffer>;

struct Node {
  Store store;
  std::string path;  ///< in the store; the root's is empty
};

namespace detail {

inline bool has_document(std::filesystem::path const& folder, std::error_code& error) {
  using std::filesystem::file_type;
  auto const type = std::filesystem::status(folder / "zarr.json", error).type();
  return type != file_type::none && type != file_type::not_found && type != file_type::directory;
}

}  // namespace detail

/// The store is the outermost folder from which every folder down to `path` is a node: keys in messages then begin at
/// the hierarchy's root. Throws: tessera::StoreError, if there is no node at `path`.
inline Node find_node(std::string const& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  auto folder = fs::absolute(path.empty() ? "." : path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // "t1/"
  if (!detail::has_document(folder, error)) {
    auto const missing = !error || error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
    throw tessera::StoreError{missing ? "there is no array or group: the document is missing"
                                      : "cannot look for the document: " + error.message()}
        .in_key("zarr.json")
        .in_store(path);
  }
  auto root = folder;
  while (root.has_relative_path() && detail::has_document(root.parent_path(), error)) root = root.parent_path();
  auto const inside = folder == root ? "" : folder.lexically_relative(root).generic_string();
  auto const shown = fs::path{path}.is_absolute() ? root : root.lexically_relative(fs::current_path());
  return {Store{shown.string()}, inside};
}

}  // namespace cli
