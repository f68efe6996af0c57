// Members that the documents of arrays and of groups have.
#pragma once
#include <tessera/core/reader.hpp>
#include <tessera/metadata/format.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// A document of Zarr v2 comes as v3 says it, and with its own format.
inline ZarrFormat read_format(ObjectReader& reader) {
  auto const found = reader.find("zarr_format");
  return found && found->value() == Value::integer(2) ? ZarrFormat::v2 : ZarrFormat::v3;
}

inline Members read_attributes(ObjectReader& reader) {
  auto const found = reader.find("attributes");
  if (!found) return {};
  auto* attributes = found->value().get_if<Members>();
  if (!attributes) found->refuse("an object");
  return *attributes;
}

}}}  // namespace tessera::v0::detail
