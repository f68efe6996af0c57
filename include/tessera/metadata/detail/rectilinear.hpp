// The configuration of a rectilinear chunk grid (specification: chunk-grids/rectilinear).
#pragma once
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/value_types.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/chunk_edges.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// One entry per dimension. Throws: MetadataError naming the member.
[[gnu::cold]] TESSERA_DECL std::vector<ChunkEdges> read_rectilinear(Value const& given, Extents const& shape);

[[gnu::cold]] TESSERA_DECL Value write_rectilinear(std::vector<ChunkEdges> const& edges);

/// The chunk lengths along each dimension; only rectilinear grids need them.
TESSERA_DECL std::vector<ChunkAxis> chunk_axes(std::vector<ChunkEdges> const& edges, Extents const& shape);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/rectilinear.ipp>
#endif
