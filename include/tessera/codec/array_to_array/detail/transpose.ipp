#pragma once
#include <tessera/codec/array_to_array/transpose.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera { inline namespace v0 { namespace codec {

TESSERA_DECL Transpose Transpose::from(ObjectReader& configuration) {
  auto const found = configuration.at("order");
  Transpose codec{found.extents()};
  for (std::uint64_t d = 0; d < codec.order.rank(); ++d) {
    bool present = false;
    for (auto entry : codec.order) present |= entry == d;
    if (!present) found.refuse("a permutation of 0.." + std::to_string(codec.order.rank() - 1));
  }
  return codec;
}

TESSERA_DECL Value Transpose::configuration() const {
  List entries;
  for (auto d : order) entries.push_back(Value::integer(static_cast<long long>(d)));
  return Members{{"order", std::move(entries)}};
}

TESSERA_DECL ChunkSpecification Transpose::encoded(ChunkSpecification chunk) const {
  if (order.rank() != chunk.shape.rank())
    throw MetadataError{"member configuration.order: found " + to_string(order) + ", expected " +
                        std::to_string(chunk.shape.rank()) + " dimensions"};
  auto const shape = chunk.shape;
  for (std::size_t i = 0; i < order.rank(); ++i) chunk.shape[i] = shape[order[i]];
  return chunk;
}

TESSERA_DECL Layout Transpose::decoded(Layout encoded) const {
  auto decoded = encoded;
  for (std::size_t i = 0; i < order.rank(); ++i) {
    decoded.shape[order[i]] = encoded.shape[i];
    decoded.strides[order[i]] = encoded.strides[i];
  }
  return decoded;
}

}}}  // namespace tessera::v0::codec
