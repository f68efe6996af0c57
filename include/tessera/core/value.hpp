// What a metadata document or a codec's configuration can say, apart from how it is written down: so that no codec sees
// JSON.
#pragma once
#include <string>

#include <tessera/core/value_access.hpp>
#include <tessera/core/value_braces.hpp>
#include <tessera/core/value_conversion.hpp>
#include <tessera/core/value_types.hpp>

namespace tessera { inline namespace v0 {

/// One extension point of a document: a codec, a chunk grid, a key encoding (core specification, "Extension
/// definition").
struct Specification {
  std::string name;
  Value configuration = Members{};
};

}}  // namespace tessera::v0
