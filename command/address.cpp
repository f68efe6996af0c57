// From a path or an address to the store that reads it.
#include "address.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <tessera/store/detail/scheme.hpp>
#include <tessera/store/detail/schemes.hpp>
#include <tessera/store/local_store.hpp>
#include <tessera/with/detail/references/references_in_address.hpp>
#include <tessera/with/icechunk.hpp>
#include <tessera/with/references.hpp>

namespace cli {
namespace {

// A folder zipped as a whole has its hierarchy one level below.
void expect_root(Node const& node) {
  if (!node.path.empty() || tessera::detail::node_key(node.store, "")) return;
  std::string found;
  node.store.list_directory("", [&](tessera::Listed const& entry) {
    if (found.empty() && entry.is_prefix && tessera::detail::node_key(node.store, entry.path)) found = entry.path;
  });
  if (found.empty()) return;
  auto error = tessera::MetadataError{"there is no array or group at the top of the zip file, but in its folder \"" +
                                      found + "\": name " + node.store.name() + '/' + found};
  throw error.in_key("zarr.json").in_store(node.store.name());
}

// Of a folder, which is not inside a zip file.
tessera::AnyStore<tessera::HostBuffer> folder_at(std::string const& folder, Access const& access) {
  auto const scheme = tessera::detail::scheme_of(folder);
  if (tessera::detail::is_web(scheme)) return http_store(folder, access);
  if (tessera::detail::is_bucket(scheme)) return s3_store(folder, access);
  return tessera::LocalStore<tessera::HostBuffer>{folder};
}

// A snapshot of an Icechunk repository, or a references file.
std::optional<Node> find_references(std::string const& path, Files const& files) {
  auto const open = [access = files.access](std::string const& folder, bool is_trusted) {
    auto const given = is_trusted ? access : tessera::detail::without_secrets_for(folder, access);
    return tessera::StoreAt{folder_at(folder, given)};
  };
  auto found = tessera::detail::icechunk_at(path, open);
  if (!found) found = tessera::detail::references_at(path, open);
  if (!found) return std::nullopt;
  return Node{Store{std::move(found->store)}, std::move(found->path)};
}

}  // namespace

Node find_source(std::string const& path, Files const& files) {
  if (auto node = find_references(path, files)) return *std::move(node);
  auto const scheme = tessera::detail::scheme_of(path);
  if (auto const zip = tessera::detail::file_in_address(path, tessera::detail::is_zip_name)) {
    if (auto store = zip_store_in(folder_at(zip->folder, files.access), zip->file)) {
      Node node{Store{*std::move(store)}, zip->inside};
      expect_root(node);
      return node;
    }
  }
  if (tessera::detail::is_web(scheme)) return {Store{http_store(path, files.access)}, ""};
  if (tessera::detail::is_bucket(scheme)) return {Store{s3_store(path, files.access)}, ""};
  auto const asked = named(path);
  auto const found = tessera::detail::zip_on_the_way(asked.string());
  if (!found) return find_node(path, files);
  std::filesystem::path const zip{*found};
  auto const shown =
      std::filesystem::path{path}.is_absolute() ? zip : zip.lexically_relative(std::filesystem::current_path());
  Node node{Store{zip_store(shown.string())}, asked == zip ? "" : asked.lexically_relative(zip).generic_string()};
  expect_root(node);
  return node;
}

}  // namespace cli
