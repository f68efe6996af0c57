// From a path or an address to the store that reads it.
#include "address.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include <tessera/store/detail/scheme.hpp>

namespace cli {
namespace {

bool is_zip(std::filesystem::path const& file) {
  std::array<char, 4> start{};
  std::ifstream{file, std::ios::binary}.read(start.data(), start.size());
  return start == std::array{'P', 'K', '\3', '\4'} || start == std::array{'P', 'K', '\5', '\6'};  // or an empty one
}

// The zip file at a path, or above it.
std::optional<std::filesystem::path> zip_on_the_way(std::filesystem::path at) {
  std::error_code ignored;
  for (; at.has_relative_path(); at = at.parent_path()) {
    if (std::filesystem::is_regular_file(at, ignored)) return is_zip(at) ? std::optional{at} : std::nullopt;
    if (std::filesystem::exists(at, ignored)) return std::nullopt;
  }
  return std::nullopt;
}

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
  if (tessera::detail::is_web(scheme)) return {Store{http_store(path)}, ""};
  if (scheme == "s3") return {Store{s3_store(path)}, ""};
  auto const asked = named(path);
  auto const zip = zip_on_the_way(asked);
  if (!zip) return find_node(path, files);
  auto const shown =
      std::filesystem::path{path}.is_absolute() ? *zip : zip->lexically_relative(std::filesystem::current_path());
  Node node{Store{zip_store(shown.string())}, asked == *zip ? "" : asked.lexically_relative(*zip).generic_string()};
  expect_root(node);
  return node;
}

}  // namespace cli
