// Piece: what of one chunk is selected, and where it goes.
#pragma once
#include <cstdint>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 {

/// A box of elements of one chunk, Plan::steps() apart, that is a box in the target too.
struct Part {
  Extents first;   ///< element, in the chunk
  Extents count;   ///< how many along each dimension of the array
  Extents target;  ///< where the first goes: an index of the target, whose rank may be another than the array's
};

/// What of one chunk is selected.
struct Piece {
  Extents chunk;    ///< the chunk's place in the grid
  Extents touched;  ///< which of the touched ones it is along each dimension, or of all if they are not a grid
  Part part;        ///< the first of its parts
};

/// A whole chunk, and how many elements behind the target's beginning its own begin, along the target's last dimension.
struct PlacedChunk {
  Extents chunk;  ///< its place in the grid
  std::uint64_t target;
};

}}  // namespace tessera::v0
