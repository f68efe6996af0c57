// Chunk grids in documents, regular and rectilinear (core specification, "Chunk grids").
#pragma once
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/plan/detail/chunk_edges.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL Value to_value(Extents const& extents);
TESSERA_DECL Extents read_chunk_grid(MemberValue const& found, Extents const& shape, std::vector<ChunkEdges>& edges);
TESSERA_DECL Value write_chunk_grid(Extents const& chunk_shape, std::vector<ChunkEdges> const& edges);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/chunk_grid.ipp>
#endif
