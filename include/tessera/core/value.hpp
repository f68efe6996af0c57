// Value: the content of a metadata document or codec configuration, independent of its syntax, so that no codec sees
// JSON.
#pragma once
#include <string>

#include <tessera/core/detail/value_conversion.hpp>
#include <tessera/core/detail/value_types.hpp>

namespace tessera { inline namespace v0 {

/// One extension of a document: a codec, a chunk grid, a key encoding (core specification, "Extension definition").
struct Specification {
  std::string name;                 ///< as in the document
  Value configuration = Members{};  ///< as in the document; by default empty
};

}}  // namespace tessera::v0
