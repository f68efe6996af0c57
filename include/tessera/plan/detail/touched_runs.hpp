// TouchedRuns: the chunks touched by points or a mask, as runs of elements.
#pragma once
#include <cstdint>
#include <memory>

#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/chunk_runs.hpp>
#include <tessera/plan/detail/mask_chunks.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

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
