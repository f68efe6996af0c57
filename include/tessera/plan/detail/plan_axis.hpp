// PlanAxis: one dimension of a plan, with the chunks of its indices.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <tessera/plan/detail/chunk_runs.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Indices at equal steps, without an allocation, or a list. Touched chunks are numbered from 0, in the array's order.
class PlanAxis {
 public:
  /// The selected elements of one part of a chunk.
  struct Run {
    std::uint64_t first;   ///< in the chunk
    std::uint64_t count;   ///< elements, step() apart
    std::uint64_t target;  ///< index of the first element in the target
  };

  PlanAxis() = default;
  PlanAxis(std::uint64_t first, std::uint64_t count, std::uint64_t step, std::uint64_t length);
  PlanAxis(std::span<std::uint64_t const> list, std::uint64_t length, Repeats repeats);

  std::uint64_t size() const { return size_; }  ///< touched chunks
  bool is_list() const { return list_ != nullptr; }
  /// The distance between elements of a part, in the array; shorter than a chunk.
  std::uint64_t step() const { return count_ < 2 || is_sparse() ? 1 : step_; }

  /// The k-th touched chunk's index in the grid.
  std::uint64_t chunk(std::uint64_t k) const {
    if (is_list()) return list_->chunk(k)[0];
    return is_sparse() ? (first_ + k * step_) / length_ : first_chunk_ + k;
  }
  /// The number of its selected parts.
  std::uint64_t runs(std::uint64_t k) const { return is_list() ? list_->runs(k) : 1; }
  Run run(std::uint64_t k, std::uint64_t r) const {
    if (is_list()) {
      auto const run = list_->run(k, r);
      return {run.position, run.count, run.target};
    }
    // Selected indices are first + i * step; this chunk's begin at i = from.
    auto const begin = chunk(k) * length_;
    auto const from = is_sparse() ? k : begin <= first_ ? 0 : (begin - first_ - 1) / step_ + 1;
    auto const first = first_ + from * step_ - begin;
    return {first, std::min(count_ - from, (length_ - first - 1) / step_ + 1), from};
  }
  /// The runs of all chunks, and the most indices in one chunk.
  std::uint64_t runs() const { return is_list() ? list_->runs() : size_; }
  std::uint64_t most_elements() const;
  std::uint64_t elements(std::uint64_t k) const { return is_list() ? list_->elements(k) : run(k, 0).count; }

  /// The range [first, second) of touched chunks in the k-th one's group; `group` is the length of a group in chunks.
  std::pair<std::uint64_t, std::uint64_t> grouped(std::uint64_t k, std::uint64_t group) const;

 private:
  // No two selected indices share a chunk. Then indices number the chunks, since steps may skip any number of chunks.
  bool is_sparse() const { return !is_list() && step_ >= length_; }

  static bool has_steps(std::span<std::uint64_t const> list);

  // The first touched chunk at or after a grid index. Requires: the index is at or before the last touched chunk.
  std::uint64_t from(std::uint64_t chunk_index) const;

  std::uint64_t first_ = 0, count_ = 0, step_ = 1, length_ = 1, first_chunk_ = 0, size_ = 0;
  std::unique_ptr<ChunkRuns> list_;  // null: equal steps
};

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/plan/detail/plan_axis.ipp>
#endif
