// Blocks: a selection of whole chunks by their position in the grid, like `blocks` of zarr-python.
#pragma once
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
/// sixth of another. Chunks are cut at the array's edge. The memory has as many dimensions as the array.
class Blocks {
 public:
  Blocks(std::initializer_list<Slice> slices) : chunks_(slices) {}
  explicit Blocks(std::vector<Slice> slices) : chunks_(std::move(slices)) {}

  /// Throws: SelectionError naming the dimension.
  ResolvedSelection resolve(Extents const& shape, Extents const& chunk_shape) const;
  /// The same for any grid: `ends(d, chunk)` returns the first index of a chunk and the index after its last.
  template <class F>
  ResolvedSelection resolve_in(Extents const& grid, F&& ends) const {
    auto const chunks = chunks_.resolve(grid, "chunks ");
    Region region = chunks;
    std::vector<IndexList> lists;
    for (std::size_t d = 0; d < grid.rank(); ++d) {
      auto const count = chunks.count[d], step = chunks.step[d];
      region.step[d] = 1;
      if (count == 0) continue;
      region.first[d] = ends(d, chunks.first[d]).first;
      region.count[d] = ends(d, chunks.first[d] + (count - 1) * step).second - region.first[d];
      if (count == 1 || step == 1) continue;
      auto& list = lists.emplace_back(IndexList{d, {}}).indices;
      for (std::uint64_t k = 0; k < count; ++k) {
        auto const [first, end] = ends(d, chunks.first[d] + k * step);
        for (auto i = first; i < end; ++i) list.push_back(i);
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

#if !defined(TESSERA_SEPARATE)
#include <tessera/view/detail/blocks.ipp>
#endif
