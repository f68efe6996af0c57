// One dimension of a plan: which chunks its indices are in.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <tessera/core/dimensions.hpp>
#include <tessera/plan/chunk_runs.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Indices at equal steps, for which nothing is allocated, or a list, which is referred to. Chunks that are touched are
/// counted from 0 on, in the array's order.
class PlanAxis {
 public:
  /// What of a chunk is in one part of it.
  struct Run {
    std::uint64_t first;   ///< in the chunk
    std::uint64_t count;   ///< elements, step() apart
    std::uint64_t target;  ///< where the first goes
  };

  PlanAxis() = default;
  PlanAxis(std::uint64_t first, std::uint64_t count, std::uint64_t step, std::uint64_t length)
      : first_{first}, count_{count}, step_{step}, length_{length}, first_chunk_{first / length} {
    size_ = count == 0 || is_sparse() ? count : (first + (count - 1) * step) / length - first_chunk_ + 1;
  }
  PlanAxis(std::span<std::uint64_t const> list, std::uint64_t length, Repeats repeats) : length_{length} {
    if (has_steps(list)) {
      *this = {list[0], list.size(), list.size() > 1 ? list[1] - list[0] : 1, length};
    } else {
      list_ = std::make_unique<ChunkRuns>(list, std::span<std::uint64_t const>{}, list.size(), Extents{length},
                                          Extents{1}, repeats);
      size_ = list_->size();
    }
  }

  std::uint64_t size() const { return size_; }  ///< chunks that are touched
  bool is_list() const { return list_ != nullptr; }
  /// Between elements of a part, in the array; shorter than a chunk.
  std::uint64_t step() const { return count_ < 2 || is_sparse() ? 1 : step_; }

  /// The place in the grid of the k-th touched chunk.
  std::uint64_t chunk(std::uint64_t k) const {
    if (is_list()) return list_->chunk(k)[0];
    return is_sparse() ? (first_ + k * step_) / length_ : first_chunk_ + k;
  }
  /// The number of its parts that are selected.
  std::uint64_t runs(std::uint64_t k) const { return is_list() ? list_->runs(k) : 1; }
  Run run(std::uint64_t k, std::uint64_t r) const {
    if (is_list()) {
      auto const run = list_->run(k, r);
      return {run.position, run.count, run.target};
    }
    // The selected indices are first + i * step; those of this chunk have i from `from` on.
    auto const begin = chunk(k) * length_;
    auto const from = is_sparse() ? k : begin <= first_ ? 0 : (begin - first_ - 1) / step_ + 1;
    auto const first = first_ + from * step_ - begin;
    return {first, std::min(count_ - from, (length_ - first - 1) / step_ + 1), from};
  }
  /// Of all chunks, and the most indices of one.
  std::uint64_t runs() const { return is_list() ? list_->runs() : size_; }
  std::uint64_t most_elements() const {
    std::uint64_t most = 0;
    for (std::uint64_t k = 0; k < size_; ++k) most = std::max(most, elements(k));
    return most;
  }
  std::uint64_t elements(std::uint64_t k) const { return is_list() ? list_->elements(k) : run(k, 0).count; }

  /// The touched chunks [first, second) that are in one group of `group` chunks with the k-th.
  std::pair<std::uint64_t, std::uint64_t> grouped(std::uint64_t k, std::uint64_t group) const {
    auto const begin = chunk(k) / group * group;
    return {from(begin), chunk(size_ - 1) - begin < group ? size_ : from(begin + group)};
  }

 private:
  // No two selected indices share a chunk: chunks are counted by them, for steps may pass over any number of chunks.
  bool is_sparse() const { return !is_list() && step_ >= length_; }

  static bool has_steps(std::span<std::uint64_t const> list) {
    if (list.empty()) return false;
    for (std::size_t i = 1; i < list.size(); ++i)
      if (list[i] <= list[i - 1] || list[i] - list[i - 1] != list[1] - list[0]) return false;
    return true;
  }

  // The first touched chunk that does not lie before this one in the grid, which does not lie behind all.
  std::uint64_t from(std::uint64_t chunk_index) const {
    if (is_list()) {
      std::uint64_t low = 0;
      for (auto count = size_; count > 0;) {
        auto const half = count / 2;
        if (chunk(low + half) < chunk_index)
          low += half + 1, count -= half + 1;
        else
          count = half;
      }
      return low;
    }
    if (chunk_index <= first_chunk_) return 0;
    return is_sparse() ? (chunk_index * length_ - first_ - 1) / step_ + 1 : chunk_index - first_chunk_;
  }

  std::uint64_t first_ = 0, count_ = 0, step_ = 1, length_ = 1, first_chunk_ = 0, size_ = 0;
  std::unique_ptr<ChunkRuns> list_;  // if it is one
};

}  // namespace detail
}}  // namespace tessera::v0
