#pragma once
#include <tessera/metadata/detail/node_members.hpp>

#include <string>

#include <tessera/core/error.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/metadata/detail/format.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL ZarrFormat read_format(ObjectReader& reader) {
  auto const found = reader.find("zarr_format");
  return found && found->value() == Value::integer(2) ? ZarrFormat::v2 : ZarrFormat::v3;
}

TESSERA_DECL std::string broken_attributes(ObjectReader& reader) {
  auto const found = reader.find("attributes");
  auto const* const problem = found ? found->value().get_if<std::string>() : nullptr;
  return problem && read_format(reader) == ZarrFormat::v2 ? *problem : std::string{};
}

TESSERA_DECL void expect_attributes(std::string const& broken) {
  if (!broken.empty()) throw MetadataError{broken};
}

TESSERA_DECL Members read_attributes(ObjectReader& reader) {
  auto const found = reader.find("attributes");
  if (!found) return {};
  expect_attributes(broken_attributes(reader));
  auto* attributes = found->value().get_if<Members>();
  if (!attributes) found->refuse("an object");
  return *attributes;
}

}}}  // namespace tessera::v0::detail
