// From a path or an address to the store that reads it.
#include "address.hpp"

#include <filesystem>
#include <string>
#include <utility>

#include <tessera/store/detail/scheme.hpp>
#include <tessera/store/detail/schemes.hpp>

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

}  // namespace

Node find_source(std::string const& path, Files const& files) {
  auto const scheme = tessera::detail::scheme_of(path);
  if (auto const zip = tessera::detail::zip_in_address(path); zip && (tessera::detail::is_web(scheme) || scheme == "s3")) {
    auto folder = scheme == "s3" ? s3_store(zip->folder, files.access) : http_store(zip->folder, files.access);
    if (auto store = zip_store_in(std::move(folder), zip->file)) {
      Node node{Store{*std::move(store)}, zip->inside};
      expect_root(node);
      return node;
    }
  }
  if (tessera::detail::is_web(scheme)) return {Store{http_store(path, files.access)}, ""};
  if (scheme == "s3") return {Store{s3_store(path, files.access)}, ""};
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
