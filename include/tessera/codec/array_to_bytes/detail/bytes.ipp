#pragma once
#include <tessera/codec/array_to_bytes/bytes.hpp>

#include <bit>
#include <cstddef>
#include <optional>

namespace tessera { inline namespace v0 { namespace codec {

TESSERA_DECL Bytes Bytes::from(ObjectReader& configuration) {
  auto const found = configuration.find("endian");
  if (!found) return {std::nullopt};
  return {found->one_of({"little", "big"}) == "little" ? std::endian::little : std::endian::big};
}

TESSERA_DECL Value Bytes::configuration() const {
  if (!endian) return Members{};
  return Members{{"endian", *endian == std::endian::little ? "little" : "big"}};
}

TESSERA_DECL Bytes Bytes::fitted(ChunkSpecification const& chunk) const {
  return chunk.type.component() > 1 ? *this : Bytes{std::nullopt};
}

TESSERA_DECL Layout Bytes::layout(ChunkSpecification const& chunk) const {
  if (chunk.type.varies())
    throw MetadataError{"elements of " + chunk.type.name() +
                        " vary in size: use vlen-utf8 for strings, vlen-bytes for bytes"};
  auto result = Layout::c_order(chunk.shape, chunk.type.size);
  auto const component = chunk.type.component();
  if (component > 1 && !endian)
    throw MetadataError{"member configuration.endian is missing: " + chunk.type.name() + " needs a byte order"};
  if (component > 1 && *endian != std::endian::native) {
    result.swapped = component;
    if (chunk.components.size() > 1) result.runs = chunk.components;
  }
  return result;
}

}}}  // namespace tessera::v0::codec
