// resolve_stages: the form of a chunk at each stage of a pipeline, from metadata alone.
#pragma once
#include <tessera/codec/concept.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Gives the form of inner chunks, if a shard is behind the stages.
using ResolveShard = FunctionRef<ResolvedChunk(ChunkSpecification const&)>;

/// Null `shard`: no shard. `is_of_host`: elements are in host memory. Throws: MetadataError, CodecError, with the
/// codec.
TESSERA_DECL ResolvedChunk resolve_stages(StageList list, ChunkSpecification chunk, ResolveShard const* shard,
                                    bool is_of_host);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/resolve_stages.ipp>
#endif
