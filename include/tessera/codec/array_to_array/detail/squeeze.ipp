#pragma once
#include <tessera/codec/array_to_array/squeeze.hpp>

#include <tessera/codec/detail/elementwise.hpp>

namespace tessera { inline namespace v0 { namespace codec {

TESSERA_DECL ChunkSpecification Squeeze::encoded(ChunkSpecification chunk) const {
  Extents kept;
  for (auto const length : chunk.shape)
    if (length != 1) kept.push_back(length);
  if (kept.rank() == 0) kept.push_back(1);
  chunk.shape = kept;
  return chunk;
}

TESSERA_DECL detail::CopyElements Squeeze::decoder(ChunkSpecification const& chunk) const { return {chunk.type.size}; }

TESSERA_DECL detail::CopyElements Squeeze::encoder(ChunkSpecification const& chunk) const { return {chunk.type.size}; }

}}}  // namespace tessera::v0::codec
