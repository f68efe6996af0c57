// Parts of decoded chunks: which stages can decode them alone, and which bytes between stages they need.
#pragma once
#include <cstddef>

#include <tessera/core/config.hpp>
#include <tessera/key/key.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/batch.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Sets `part_stages`, `decodes_in_order`, `stores_ranges` and `index_size` of a form that is complete otherwise. A codec
/// that changes values has parts if its encoded elements are in C order.
TESSERA_DECL void find_parts(StageList list, ResolvedChunk& form);

/// The bytes behind the first `places` stages that run, from the elements on, that a part of the decoded bytes needs.
/// Requires: each of these stages has ranges.
TESSERA_DECL ByteRange range_behind(StageList list, ResolvedChunk const& form, ByteRange part, std::size_t places);

/// The stored bytes that a part of the decoded ones needs, beside the index. Requires: the form has an `index_size`.
/// Throws: CodecError.
TESSERA_DECL ChunkPart encoded_part(StageList list, ResolvedChunk const& form, ByteView<space::Host> index,
                                    ByteRange part);

/// For the stage at `place` among those that run: sets `buffers.parts`, and limits each task's `from` to what its part
/// needs. Requires: `buffers.parts` are those of the stage that decoded before it, if that has parts. Throws:
/// CodecError, if there are too few bytes.
TESSERA_DECL void limit_to_parts(StageList list, AnyStage const& stage, ResolvedChunk const& form, std::size_t place,
                                 DecodeBuffers& buffers);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/chunk_parts.ipp>
#endif
