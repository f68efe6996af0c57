// What is written to make a node, in either format.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/metadata/array_metadata.hpp>
#include <tessera/metadata/document.hpp>
#include <tessera/metadata/format.hpp>
#include <tessera/metadata/group_metadata.hpp>
#include <tessera/metadata/v2_array.hpp>
#include <tessera/metadata/v2_raise.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct NewDocument {
  Key key;
  std::string text;
};
/// The documents of a node; the last one makes it a node.
using NewDocuments = std::vector<NewDocument>;

[[gnu::cold]] inline NewDocuments v2_documents(std::string_view path, NodeType type, Value const& document,
                                               Members const& attributes) {
  return {{v2_attributes_key(path), document_text(attributes)},
          {document_key(path, ZarrFormat::v2, type), document_text(document)}};
}

/// Throws: MetadataError, if the format has no words for the node.
inline NewDocuments new_documents(std::string_view path, ArrayMetadata const& array) {
  if (array.format == ZarrFormat::v2)
    return v2_documents(path, NodeType::array, raise_v2_array(array), raise_v2_attributes(array));
  return {{document_key(path), document_text(to_value(array))}};
}
inline NewDocuments new_documents(std::string_view path, GroupMetadata const& group) {
  if (group.format == ZarrFormat::v2)
    return v2_documents(path, NodeType::group, Members{{"zarr_format", Value::integer(2)}}, group.attributes);
  return {{document_key(path), document_text(to_value(group))}};
}

/// The array as Zarr v2 has it, and as it will be found there when it is opened. Chunks have keys of v2, joined by "."
/// unless another separator of v2 is asked for. Throws: MetadataError, if v2 has no words for it.
[[gnu::cold]] inline ArrayMetadata as_v2(ArrayMetadata array) {
  if (!array.key_encoding.v2) array.key_encoding = {true, '.'};
  auto const document = lower_v2_array(raise_v2_array(array), raise_v2_attributes(array));
  ObjectReader reader{document, ""};
  return read_array_metadata(reader);
}

}  // namespace detail
}}  // namespace tessera::v0
