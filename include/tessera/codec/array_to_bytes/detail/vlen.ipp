#pragma once
#include <tessera/codec/array_to_bytes/vlen.hpp>

#include <cstddef>

namespace tessera { inline namespace v0 { namespace codec {

TESSERA_DECL Layout VlenV2::layout(ChunkSpecification const& chunk) const {
  if (!chunk.type.varies())
    throw MetadataError{to_text({"found elements of ", chunk.type.name(), ", expected string or bytes"})};
  return Layout::c_order(chunk.shape, chunk.type.size);
}

TESSERA_DECL std::size_t VlenV2::decode(ChunkSpecification const& chunk, ByteView<space::Host> from,
                                        ByteSpan<space::Host> to, Queue<space::Host>& on) const {
  return chunk.type.kind == DataKind::string ? VlenUtf8{}.decode(from, to, on) : VlenBytes{}.decode(from, to, on);
}

TESSERA_DECL std::size_t VlenV2::encode(ChunkSpecification const& chunk, ByteView<space::Host> from,
                                        ByteSpan<space::Host> to, Queue<space::Host>& on) const {
  return chunk.type.kind == DataKind::string ? VlenUtf8{}.encode(from, to, on) : VlenBytes{}.encode(from, to, on);
}

}}}  // namespace tessera::v0::codec
