// The chunks that points or a mask touch, in runs of elements.
#pragma once
#include <cstdint>
#include <memory>

#include <tessera/core/dimensions.hpp>
#include <tessera/plan/chunk_runs.hpp>
#include <tessera/plan/mask_chunks.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 { namespace detail {

class TouchedRuns {
 public:
  using Run = ChunkRuns::Run;

  /// Chunks that are in one group, of group[d] chunks along dimension d, follow each other.
  void find(ResolvedSelection const& selected, std::uint64_t elements, Extents const& chunk_shape, Extents const& group,
            Repeats repeats) {
    if (selected.is_points) {
      auto const& [first, count, owner] = selected.points;
      points_ = std::make_unique<ChunkRuns>(first, count, elements, chunk_shape, group, repeats);
    } else if (selected.is_mask) {
      mask_ = std::make_unique<MaskChunks>(selected.mask, chunk_shape, group);
    }
  }

  /// The selection is by points or a mask. All else is asked only then, of the k-th chunk.
  bool are_there() const { return points_ || mask_; }

  std::uint64_t size() const { return points_ ? points_->size() : mask_->size(); }  ///< chunks
  std::uint64_t runs() const { return points_ ? points_->runs() : mask_->runs(); }  ///< of all chunks
  std::uint64_t elements(std::uint64_t k) const { return points_ ? points_->elements(k) : mask_->elements(k); }
  Extents chunk(std::uint64_t k) const { return points_ ? points_->chunk(k) : mask_->chunk(k); }

  /// Calls f(run), until it returns false.
  template <class F>
  void for_each_run(std::uint64_t k, F&& f) const {
    points_ ? points_->for_each_run(k, f) : mask_->for_each_run(k, f);
  }

 private:
  std::unique_ptr<ChunkRuns> points_;
  std::unique_ptr<MaskChunks> mask_;
};

}}}  // namespace tessera::v0::detail
