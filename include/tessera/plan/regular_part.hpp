// A part of a rectilinear grid whose chunks have one shape: an array of its own.
#pragma once
#include <vector>

#include <tessera/core/function_ref.hpp>
#include <tessera/plan/chunk_edges.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Chunks of one shape that are neighbours.
struct RegularPart {
  Extents first_chunk;  ///< its place in the grid
  Extents shape;        ///< of the elements that the array has in them
  Extents chunk_shape;
};

using ChunkAxes = std::vector<ChunkAxis>;
/// Takes a part, what is selected of it, as of an array of its own, and which element of the memory is its first.
using UsePart = FunctionRef<void(RegularPart const&, ResolvedSelection const&, Extents const&)>;

}  // namespace detail
}}  // namespace tessera::v0
