// box_of_chunk and box_of_chunks: the elements of chunks, as boxes.
#pragma once
#include <span>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/chunk_edges.hpp>
#include <tessera/plan/detail/piece.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The elements in one chunk, by its position in the grid; `edges` are those of a rectilinear grid. Throws:
/// SelectionError.
TESSERA_DECL Box box_of_chunk(Extents const& chunk, Extents const& grid, Extents const& shape,
                              Extents const& chunk_shape, std::vector<ChunkEdges> const& edges);

/// The smallest box of elements that contains all listed chunks. `axes`: of a rectilinear grid. Throws: SelectionError,
/// if one lies outside.
TESSERA_DECL Region box_of_chunks(std::span<PlacedChunk const> listed, Extents const& shape, Extents const& chunk_shape,
                                  std::vector<ChunkAxis> const& axes = {});

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/array/detail/chunk_box.ipp>
#endif
