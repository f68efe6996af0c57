#pragma once
#include <tessera/metadata/detail/text.hpp>

#include <string>

#include <tessera/core/detail/bounds.hpp>
#include <tessera/metadata/json.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL std::string document_text(Value const& document) {
  auto json = to_json(document);
  if (json.size() > bounds::document_bytes)
    throw MetadataError{
        to_text({"a document of ", json.size(), " bytes; at most ", bounds::document_bytes, " are read"})};
  (void)parse_json(json);
  return json;
}

}}  // namespace tessera::v0
