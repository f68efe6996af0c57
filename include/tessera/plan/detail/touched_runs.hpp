// TouchedRuns: the chunks touched by points or a mask, as runs of elements.
// MaskChunks: the elements that a mask selects, by chunk.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/chunk_numbers.hpp>
#include <tessera/plan/detail/chunk_runs.hpp>
#include <tessera/view/detail/mask_bits.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Like ChunkRuns, but finds runs on request. Needs 16 bytes per touched chunk, and during construction 8 bytes per
/// chunk of the array. Refers to the mask.
class MaskChunks {
 public:
  using Run = ChunkRuns::Run;

  MaskChunks() = default;
  MaskChunks(MaskBits const& mask, Extents const& chunk_shape, Extents const& group);

  std::uint64_t size() const { return chunks_.size(); }
  std::uint64_t runs() const { return mask_ ? mask_->runs() : 0; }
  Extents chunk(std::uint64_t k) const { return numbers_.chunk(chunks_[static_cast<std::size_t>(k)].number); }
  std::uint64_t elements(std::uint64_t k) const { return chunks_[static_cast<std::size_t>(k)].elements; }
  template <class F>
  void for_each_run(std::uint64_t k, F&& f) const {
    auto const chunk = this->chunk(k);
    auto const rank = chunk.rank();
    auto row = Extents::filled(rank, 0), count = chunk;
    std::uint64_t begin = 0;  // the chunk's first element, in the mask
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
      auto d = rank;  // the next row: over all dimensions but the last
      while (d > 1 && ++row[d - 2] == count[d - 2]) row[--d - 1] = 0;
      if (d <= 1) return;
    }
  }

 private:
  struct Chunk {
    std::uint64_t number, elements;
  };

  // Calls f(chunk, count) for the chunks with selected elements, in C order.
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

class TouchedRuns {
 public:
  using Run = ChunkRuns::Run;

  /// `group`: as in TouchedGrid.
  void find(ResolvedSelection const& selected, std::uint64_t elements, Extents const& chunk_shape, Extents const& group,
            Repeats repeats);

  /// The selection is by points or a mask; required by all functions below, where k is a chunk's number.
  bool are_there() const { return points_ || mask_; }

  std::uint64_t size() const { return points_ ? points_->size() : mask_->size(); }  ///< touched chunks
  std::uint64_t runs() const { return points_ ? points_->runs() : mask_->runs(); }  ///< of all chunks
  std::uint64_t elements(std::uint64_t k) const { return points_ ? points_->elements(k) : mask_->elements(k); }
  Extents chunk(std::uint64_t k) const { return points_ ? points_->chunk(k) : mask_->chunk(k); }

  /// Calls f(run) for each run of the k-th chunk, until f returns false.
  template <class F>
  void for_each_run(std::uint64_t k, F&& f) const {
    points_ ? points_->for_each_run(k, f) : mask_->for_each_run(k, f);
  }

 private:
  std::unique_ptr<ChunkRuns> points_;
  std::unique_ptr<MaskChunks> mask_;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/plan/detail/touched_runs.ipp>
#endif
