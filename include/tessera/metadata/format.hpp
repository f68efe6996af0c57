// The two formats of Zarr that there are documents of, and where the documents of a node are.
#pragma once
#include <string_view>

#include <tessera/key/key.hpp>

namespace tessera { inline namespace v0 {

enum class ZarrFormat { v2 = 2, v3 = 3 };

enum class NodeType { array, group };

/// Where the document is that makes a node at `path`: "t1/zarr.json"; in Zarr v2 "t1/.zarray" or "t1/.zgroup". The
/// root's path is empty.
inline Key document_key(std::string_view path, ZarrFormat format = ZarrFormat::v3, NodeType type = NodeType::array) {
  return path / (format == ZarrFormat::v3 ? "zarr.json" : type == NodeType::array ? ".zarray" : ".zgroup");
}

namespace detail {

/// Where Zarr v2 has the attributes of a node, and a group the copies of all documents below it.
inline Key v2_attributes_key(std::string_view path) { return path / ".zattrs"; }
inline Key v2_copies_key(std::string_view path) { return path / ".zmetadata"; }

/// Whether a key is of a document that makes a node.
inline bool makes_node(std::string_view key) {
  auto const name = key.substr(key.rfind('/') + 1);
  return name == "zarr.json" || name == ".zarray" || name == ".zgroup";
}
/// Whether a key is of copies, which open a group even where its own document is not there.
inline bool has_copies(std::string_view key) { return key.substr(key.rfind('/') + 1) == ".zmetadata"; }
/// Whether a key is of a document of any kind.
inline bool is_document(std::string_view key) {
  auto const name = key.substr(key.rfind('/') + 1);
  return makes_node(key) || has_copies(key) || name == ".zattrs";
}

}  // namespace detail
}}  // namespace tessera::v0
