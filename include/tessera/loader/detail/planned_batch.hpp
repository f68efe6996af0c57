// PlannedBatch: the boxes of a batch that was drawn and is not read yet, and their chunks.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include <tessera/array/detail/boxes_in_chunks.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/loader/detail/kept_chunks.hpp>
#include <tessera/view/box.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Reused for later batches, to keep its memory.
struct PlannedBatch {
  std::vector<Box> boxes{};
  BoxesInChunks chunks{};
  std::vector<NumberedChunk> wanted{};  ///< the same chunks, by their numbers
  std::exception_ptr error{};         ///< of the sampler, or of a box

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
