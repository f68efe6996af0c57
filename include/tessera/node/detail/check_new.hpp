// check_new, check_new_chunks: throw MetadataError, if the metadata of a new array is invalid.
#pragma once
#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/metadata/documents.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

TESSERA_DECL void check_new(ArrayMetadata const& array);

/// Of a NewArray; errors name its members. `is_chunks`: the chunks are its `.chunks`, not its `.chunk_shape`.
TESSERA_DECL void check_new_chunks(Extents const& shape, Extents const& chunks, Extents const& shards, bool is_chunks);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/node/detail/check_new.ipp>
#endif
