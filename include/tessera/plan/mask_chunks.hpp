// What of a mask is in which chunk.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/plan/chunk_numbers.hpp>
#include <tessera/plan/chunk_runs.hpp>
#include <tessera/view/mask_bits.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// As ChunkRuns, but runs are found when they are asked for: sixteen bytes for each chunk that is touched, and eight
/// for each that there is while it is made. The mask is referred to.
class MaskChunks {
 public:
  using Run = ChunkRuns::Run;

  MaskChunks() = default;
  MaskChunks(MaskBits const& mask, Extents const& chunk_shape, Extents const& group)
      : mask_{&mask}, chunk_shape_{chunk_shape}, strides_{chunk_shape} {
    auto const rank = chunk_shape.rank();
    auto const& shape = mask.shape();
    if (mask.count() == 0) return;
    auto grid = shape;
    std::uint64_t elements = 1, chunks = 1;
    for (auto d = rank; d-- > 0; elements *= shape[d]) {
      strides_[d] = elements;
      grid[d] = (shape[d] - 1) / chunk_shape[d] + 1;
      chunks *= grid[d];
    }
    std::vector<std::uint64_t> counts(static_cast<std::size_t>(chunks));
    auto const length = rank == 0 ? 1 : shape[rank - 1], of_chunk = rank == 0 ? 1 : chunk_shape[rank - 1];
    auto row = Extents::filled(rank, 0);
    for (std::uint64_t first = 0, before = 0; first < elements; first += length) {
      std::size_t at = 0;
      for (std::size_t d = 0; d < rank; ++d) at = at * static_cast<std::size_t>(grid[d]) + row[d] / chunk_shape[d];
      for (std::uint64_t begin = 0; begin < length; ++at) {
        begin += std::min(of_chunk, length - begin);
        auto const past = mask.count_before(first + begin);
        counts[at] += past - before;
        before = past;
      }
      for (auto d = rank; d > 1 && ++row[d - 2] == shape[d - 2];) row[--d - 1] = 0;
    }
    numbers_ = {grid, group};
    for_each_chunk(counts, grid, [&](Extents const& chunk, std::uint64_t count) {
      chunks_.push_back({numbers_.number(chunk), count});
    });
    std::sort(chunks_.begin(), chunks_.end(), [](Chunk const& a, Chunk const& b) { return a.number < b.number; });
  }

  std::uint64_t size() const { return chunks_.size(); }
  std::uint64_t runs() const { return mask_ ? mask_->runs() : 0; }
  Extents chunk(std::uint64_t k) const { return numbers_.chunk(chunks_[static_cast<std::size_t>(k)].number); }
  std::uint64_t elements(std::uint64_t k) const { return chunks_[static_cast<std::size_t>(k)].elements; }
  /// Calls f(run) for each of a chunk, until it returns false.
  template <class F>
  void for_each_run(std::uint64_t k, F&& f) const {
    auto const chunk = this->chunk(k);
    auto const rank = chunk.rank();
    auto row = Extents::filled(rank, 0), count = chunk;
    std::uint64_t begin = 0;  // of the chunk, in the mask
    for (std::size_t d = 0; d < rank; ++d) {
      auto const first = chunk[d] * chunk_shape_[d];
      begin += first * strides_[d];
      count[d] = std::min(chunk_shape_[d], mask_->shape()[d] - first);
    }
    auto const length = rank == 0 ? 1 : count[rank - 1];
    for (;;) {
      auto first = begin;
      std::uint64_t position = 0;
      for (std::size_t d = 0; d < rank; ++d) {
        first += row[d] * strides_[d];
        position = position * chunk_shape_[d] + row[d];
      }
      auto target = mask_->count_before(first);
      bool const goes_on = mask_->for_each_run(first, length, [&](std::uint64_t at, std::uint64_t n) {
        Run const run{position + (at - first), n, target};
        target += n;
        return f(run);
      });
      if (!goes_on) return;
      auto d = rank;  // the next row: all but the last dimension count
      while (d > 1 && ++row[d - 2] == count[d - 2]) row[--d - 1] = 0;
      if (d <= 1) return;
    }
  }

 private:
  struct Chunk {
    std::uint64_t number, elements;
  };

  // Those of which something is selected, in C order.
  template <class F>
  static void for_each_chunk(std::vector<std::uint64_t> const& counts, Extents const& grid, F&& f) {
    auto chunk = Extents::filled(grid.rank(), 0);
    for (auto count : counts) {
      if (count > 0) f(chunk, count);
      for (auto d = grid.rank(); d > 0 && ++chunk[d - 1] == grid[d - 1];) chunk[--d] = 0;
    }
  }

  MaskBits const* mask_ = nullptr;
  Extents chunk_shape_, strides_;  // strides_: of the mask, in elements
  ChunkNumbers numbers_;
  std::vector<Chunk> chunks_;
};

}}}  // namespace tessera::v0::detail
