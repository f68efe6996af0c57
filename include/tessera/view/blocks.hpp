// Whole chunks, by their places in the grid: what zarr-python has blocks for.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 {

/// A slice of chunks per dimension: `Blocks{{0, 2}, all, 5}` selects the first two chunks of one dimension and the
/// sixth of another. At the array's edge chunks end where the array does. The memory has as many dimensions as the
/// array.
class Blocks {
 public:
  Blocks(std::initializer_list<Slice> slices) : chunks_(slices) {}
  explicit Blocks(std::vector<Slice> slices) : chunks_(std::move(slices)) {}

  /// Throws: SelectionError naming the dimension.
  ResolvedSelection resolve(Extents const& shape, Extents const& chunk_shape) const {
    auto grid = shape;
    for (std::size_t d = 0; d < grid.rank(); ++d)
      grid[d] = shape[d] / chunk_shape[d] + (shape[d] % chunk_shape[d] != 0);
    auto const chunks = chunks_.resolve(grid, "chunks ");
    Region region = chunks;
    std::vector<IndexList> lists;
    for (std::size_t d = 0; d < grid.rank(); ++d) {
      auto const length = chunk_shape[d];
      auto const end_of = [&](std::uint64_t first) { return first + std::min(length, shape[d] - first); };
      auto const count = chunks.count[d], step = chunks.step[d];
      region.first[d] = chunks.first[d] * length;
      region.step[d] = 1;
      if (count == 0) continue;
      auto const last = end_of((chunks.first[d] + (count - 1) * step) * length);
      region.count[d] = last - region.first[d];
      if (count == 1 || step == 1) continue;
      auto& list = lists.emplace_back(IndexList{d, {}}).indices;
      for (std::uint64_t k = 0; k < count; ++k) {
        auto const first = (chunks.first[d] + k * step) * length;
        for (auto i = first; i < end_of(first); ++i) list.push_back(i);
      }
      region.count[d] = list.size();
    }
    ResolvedSelection selected{region};
    selected.lists = std::move(lists);
    return selected;
  }

 private:
  Box chunks_;
};

}}  // namespace tessera::v0
