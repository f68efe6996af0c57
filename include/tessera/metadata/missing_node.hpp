// What messages say of a node whose document is not there: what stands in its place.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Why there is no node at `path`. It asks the store, so call it only for a node that is known to be missing.
template <class D>
std::string why_missing(D const& documents, std::string_view path) {
  if (!has_folder(documents, "")) return "the store's folder is missing";
  if (!has_folder(documents, path)) return "its folder is missing";
  queue_of<D> on;
  for (auto const* name : {".zarray", ".zgroup", ".zattrs"})
    if (size(documents, path / std::string_view{name}, on)) return text({"found ", name, " of Zarr v2"});
  return "the document is missing";
}

/// Where the document is that makes the node at `path`; nullopt: there is no node.
template <class D>
std::optional<Key> node_key(D const& documents, std::string_view path) {
  queue_of<D> on;
  for (auto const* name : {"zarr.json", ".zarray", ".zgroup"})
    if (auto key = path / std::string_view{name}; size(documents, key, on)) return key;
  return std::nullopt;
}

/// `what` is missing: an array, a group, a node.
template <class D>
MetadataError missing_node(D const& documents, std::string_view path, std::string_view what) {
  return MetadataError{text({"there is no ", what, ": ", why_missing(documents, path)})};
}

}  // namespace detail
}}  // namespace tessera::v0
