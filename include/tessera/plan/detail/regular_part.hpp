// RegularPart: a part of a rectilinear grid whose chunks have one shape, treated as an array.
#pragma once
#include <vector>

#include <tessera/core/detail/function_ref.hpp>
#include <tessera/plan/detail/chunk_edges.hpp>
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

}  // namespace detail
}}  // namespace tessera::v0
