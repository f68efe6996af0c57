#pragma once
#include <tessera/metadata/detail/new_documents.hpp>

#include <string_view>

#include <tessera/metadata/detail/format.hpp>
#include <tessera/metadata/detail/v2_array.hpp>
#include <tessera/metadata/detail/v2_raise.hpp>
#include <tessera/metadata/documents.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL NewDocuments v2_documents(std::string_view path, NodeType type, Value const& document,
                                       Members const& attributes) {
  return {{v2_attributes_key(path), document_text(attributes)},
          {document_key(path, ZarrFormat::v2, type), document_text(document)}};
}

TESSERA_DECL NewDocuments new_documents(std::string_view path, ArrayMetadata const& array) {
  if (array.format == ZarrFormat::v2)
    return v2_documents(path, NodeType::array, raise_v2_array(array), raise_v2_attributes(array));
  return {{document_key(path), document_text(to_value(array))}};
}

TESSERA_DECL NewDocuments new_documents(std::string_view path, GroupMetadata const& group) {
  expect_attributes(group.broken_attributes);
  if (group.format == ZarrFormat::v2)
    return v2_documents(path, NodeType::group, Members{{"zarr_format", Value::integer(2)}}, group.attributes);
  return {{document_key(path), document_text(to_value(group))}};
}

TESSERA_DECL ArrayMetadata as_v2(ArrayMetadata array) {
  if (!array.key_encoding.v2) array.key_encoding = {true, '.'};
  auto const document = lower_v2_array(raise_v2_array(array), raise_v2_attributes(array));
  ObjectReader reader{document, ""};
  return read_array_metadata(reader);
}

}}}  // namespace tessera::v0::detail
