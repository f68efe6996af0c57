// ZarrFormat, and the keys of a node's documents in either format.
#pragma once
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/value_types.hpp>
#include <tessera/key/key.hpp>

namespace tessera { inline namespace v0 {

/// The version of the Zarr format.
enum class ZarrFormat { v2 = 2, v3 = 3 };

/// The two kinds of node in a hierarchy.
enum class NodeType { array, group };

/// The key of the document that makes the node at `path`: "t1/zarr.json"; in Zarr v2 "t1/.zarray" or "t1/.zgroup". The
/// root's path is empty.
TESSERA_DECL Key document_key(std::string_view path, ZarrFormat format = ZarrFormat::v3,
                              NodeType type = NodeType::array);

namespace detail {

/// Whether a document's `zarr_format` is that digit; some programs write it in quotes.
TESSERA_DECL bool is_format(Value const& said, char const* digit);

/// In Zarr v2: a node's attributes, and a group's copies of all documents below it.
inline Key v2_attributes_key(std::string_view path) { return path / ".zattrs"; }
inline Key v2_copies_key(std::string_view path) { return path / ".zmetadata"; }

/// Whether a key is of a document that makes a node.
TESSERA_DECL bool makes_node(std::string_view key);
/// Whether a key is of copies, which open a group even without its own document.
inline bool has_copies(std::string_view key) { return key.substr(key.rfind('/') + 1) == ".zmetadata"; }
/// Whether a key is of a document of any kind.
TESSERA_DECL bool is_document(std::string_view key);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/format.ipp>
#endif
