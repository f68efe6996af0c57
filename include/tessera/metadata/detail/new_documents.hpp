// new_documents: the documents to write for a new node, in either format.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/metadata/detail/format.hpp>
#include <tessera/metadata/documents.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct NewDocument {
  Key key;
  std::string text;
};
/// The documents of a node; writing the last one creates the node.
using NewDocuments = std::vector<NewDocument>;

[[gnu::cold]] TESSERA_DECL NewDocuments v2_documents(std::string_view path, NodeType type, Value const& document,
                                               Members const& attributes);

/// Throws: MetadataError, if the format cannot express the node.
TESSERA_DECL NewDocuments new_documents(std::string_view path, ArrayMetadata const& array);
TESSERA_DECL NewDocuments new_documents(std::string_view path, GroupMetadata const& group);

/// The array as it reads once stored in Zarr v2. Chunk keys are those of v2, joined by "." unless its key encoding is
/// of v2 with another separator. Throws: MetadataError, if v2 cannot express it.
[[gnu::cold]] TESSERA_DECL ArrayMetadata as_v2(ArrayMetadata array);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/new_documents.ipp>
#endif
