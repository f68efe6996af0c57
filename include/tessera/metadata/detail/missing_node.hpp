// missing_node: the error for a missing node, with the reason.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/error.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/other_formats.hpp>
#include <tessera/store/get.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Why no node exists at `path`. It reads the store: call it only for a missing node.
template <class D>
std::string why_missing(D const& documents, std::string_view path) {
  if (!has_folder(documents, "")) return "the store's folder is missing";
  if (!has_folder(documents, path)) return "its folder is missing";
  queue_of<D> on;
  for (auto const* name : {".zarray", ".zgroup", ".zattrs"})
    if (value_size(documents, path / std::string_view{name}, on)) return to_text({"found ", name, " of Zarr v2"});
  for (auto const& [key, what] : folders_of_other_formats)
    if (value_size(documents, path / std::string_view{key}, on)) return what;
  return "the document is missing";
}

/// The key of the document that makes the node at `path`; nullopt: no node.
template <class D>
std::optional<Key> node_key(D const& documents, std::string_view path) {
  queue_of<D> on;
  for (auto const* name : {"zarr.json", ".zarray", ".zgroup"})
    if (auto key = path / std::string_view{name}; value_size(documents, key, on)) return key;
  return std::nullopt;
}

/// `what`: "array", "group" or "node".
template <class D>
NodeNotFound missing_node(D const& documents, std::string_view path, std::string_view what) {
  return NodeNotFound{to_text({"there is no ", what, ": ", why_missing(documents, path)})};
}

}  // namespace detail
}}  // namespace tessera::v0
