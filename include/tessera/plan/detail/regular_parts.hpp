// for_each_regular_part: splits a rectilinear grid into regular parts, where neighbouring chunks have the same shape. A
// selection of a part, or a list of its chunks, is planned as of any array.
// RegularPart: a part of a rectilinear grid whose chunks have one shape, treated as an array.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/plan/detail/chunk_edges.hpp>
#include <tessera/plan/detail/piece.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Neighbouring chunks of one shape.
struct RegularPart {
  Extents first_chunk;  ///< its index in the grid
  Extents shape;        ///< of the chunks' elements inside the array
  Extents chunk_shape;
};

using ChunkAxes = std::vector<ChunkAxis>;
/// Called with a part, the selection within it as if it were an array, and the index of its first element in the
/// memory.
using UsePart = FunctionRef<void(RegularPart const&, ResolvedSelection const&, Extents const&)>;
/// Called with a part and the listed chunks that it has, numbered within it.
using UseListedPart = FunctionRef<void(RegularPart const&, std::span<PlacedChunk const>)>;

// The selected indices of one dimension in one of its parts, consecutive in the memory.
struct AxisPiece {
  AxisPart const* part;
  std::uint64_t first, count, step;      // in the part
  std::uint64_t target;                  // in the memory
  std::vector<std::uint64_t> indices{};  // for a list, instead of first and step
};

TESSERA_DECL std::vector<AxisPiece> pieces_of(ChunkAxis const& axis, std::uint64_t first, std::uint64_t count,
                                        std::uint64_t step);
TESSERA_DECL std::vector<AxisPiece> pieces_of(ChunkAxis const& axis, std::vector<std::uint64_t> const& list);

/// Calls f for each part of a selection of an array of shape `shape` and one or more dimensions `axes`.
TESSERA_DECL void for_each_regular_part(ResolvedSelection const& selected, ChunkAxes const& axes, Extents const& shape,
                                  UsePart f);
/// Calls f for each part that has listed chunks. `inner`: the shape of the listed chunks, if the grid's chunks are
/// shards; those of one shard are then consecutive. Otherwise empty.
TESSERA_DECL void for_each_regular_part(std::span<PlacedChunk const> listed, ChunkAxes const& axes,
                                        Extents const& inner, UseListedPart f);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/plan/detail/regular_parts.ipp>
#endif
