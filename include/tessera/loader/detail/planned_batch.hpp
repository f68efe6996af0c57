// PlannedBatch: the boxes of a batch that was drawn and is not read yet, and their chunks.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include <tessera/array/detail/boxes_in_chunks.hpp>
#include <tessera/array/detail/orientation.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/loader/detail/kept_chunks.hpp>
#include <tessera/view/box.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Also several batches that are read together. Reused for later batches, to keep its memory.
struct PlannedBatch {
  std::vector<Box> boxes{};
  std::vector<Orientation> orientations{};  ///< of each box; empty: none is turned
  BoxesInChunks chunks{};
  std::vector<NumberedChunk> wanted{};  ///< the same chunks, by their numbers
  std::exception_ptr error{};           ///< of the sampler, or of a box
  bool is_several = false;              ///< batches: their boxes may differ in shape

  void clear() {
    boxes.clear(), orientations.clear(), wanted.clear();
    error = {};
    is_several = false;
  }
  void add(OrientedBox drawn) {
    boxes.push_back(std::move(drawn.box));
    if (drawn.orientation.changes_nothing() && orientations.empty()) return;
    orientations.resize(boxes.size() - 1);  // of those before it that are not turned
    orientations.push_back(drawn.orientation);
  }

  /// Adds the boxes of another batch.
  void add(PlannedBatch const& other) {
    is_several = true;
    for (std::size_t i = 0; i < other.boxes.size(); ++i)
      add({other.boxes[i], other.orientations.empty() ? Orientation{} : other.orientations[i]});
  }

  /// Sets `wanted`. `grid`: chunks of the array along each dimension.
  void number_chunks(Extents const& grid) {
    wanted.clear();
    for (std::size_t i = 0; i < chunks.chunks().size(); ++i) {
      std::uint64_t number = 0;
      for (std::size_t d = 0; d < grid.rank(); ++d) number = number * grid[d] + chunks.chunks()[i].chunk[d];
      wanted.push_back({number, i});
    }
    std::ranges::sort(wanted, {}, &NumberedChunk::number);
  }
};

}}}  // namespace tessera::v0::detail
