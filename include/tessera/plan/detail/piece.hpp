// Piece: the selected elements of one chunk, and their place in the target.
#pragma once
#include <cstdint>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 {

/// A box of elements of one chunk, Plan::steps() apart, which is also a box in the target.
struct Part {
  Extents first;   ///< element, in the chunk
  Extents count;   ///< elements along each dimension of the array
  Extents target;  ///< index of the first element in the target, whose rank may differ from the array's
};

/// The selected elements of one chunk.
struct Piece {
  Extents chunk;    ///< the chunk's index in the grid
  Extents touched;  ///< its number among the touched chunks, along each dimension; a single number if they form no grid
  Part part;        ///< the first part
};

/// A chunk. `target`: the distance of its first wanted element from the target's first, along the last dimension.
struct PlacedChunk {
  Extents chunk;  ///< its index in the grid
  std::uint64_t target;
  Part const* wanted = nullptr;  ///< its wanted elements, whose own target is not used; null: all in the array
};

}}  // namespace tessera::v0
