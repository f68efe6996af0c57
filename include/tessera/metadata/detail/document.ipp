#pragma once
#include <tessera/metadata/detail/document.hpp>

#include <string>

#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/object_reader.hpp>
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

TESSERA_DECL bool may_be_ignored(Value const& extension) {
  if (auto* members = extension.get_if<Members>())
    for (auto const& member : *members)
      if (member.name == "must_understand" && member.value == Value{false}) return true;
  return false;
}

TESSERA_DECL Members tolerated(ObjectReader const& reader) {
  Members kept;
  for (auto* member : reader.rest()) {
    if (!may_be_ignored(member->value)) throw MetadataError{to_text({"member ", member->name, " is unknown"})};
    kept.push_back(*member);
  }
  return kept;
}

}}  // namespace tessera::v0
