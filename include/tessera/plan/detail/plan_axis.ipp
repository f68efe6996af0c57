#pragma once
#include <tessera/plan/detail/plan_axis.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/chunk_runs.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL PlanAxis::PlanAxis(std::uint64_t first, std::uint64_t count, std::uint64_t step, std::uint64_t length)
    : first_{first}, count_{count}, step_{step}, length_{length}, first_chunk_{first / length} {
  size_ = count == 0 || is_sparse() ? count : (first + (count - 1) * step) / length - first_chunk_ + 1;
}

TESSERA_DECL PlanAxis::PlanAxis(std::span<std::uint64_t const> list, std::uint64_t length, Repeats repeats)
    : length_{length} {
  if (has_steps(list)) {
    *this = {list[0], list.size(), list.size() > 1 ? list[1] - list[0] : 1, length};
  } else {
    list_ = std::make_unique<ChunkRuns>(list, std::span<std::uint64_t const>{}, list.size(), Extents{length},
                                        Extents{1}, repeats);
    size_ = list_->size();
  }
}

TESSERA_DECL std::uint64_t PlanAxis::most_elements() const {
  std::uint64_t most = 0;
  for (std::uint64_t k = 0; k < size_; ++k) most = std::max(most, elements(k));
  return most;
}

TESSERA_DECL std::pair<std::uint64_t, std::uint64_t> PlanAxis::grouped(std::uint64_t k, std::uint64_t group) const {
  auto const begin = chunk(k) / group * group;
  return {from(begin), chunk(size_ - 1) - begin < group ? size_ : from(begin + group)};
}

TESSERA_DECL bool PlanAxis::has_steps(std::span<std::uint64_t const> list) {
  if (list.empty()) return false;
  for (std::size_t i = 1; i < list.size(); ++i)
    if (list[i] <= list[i - 1] || list[i] - list[i - 1] != list[1] - list[0]) return false;
  return true;
}

TESSERA_DECL std::uint64_t PlanAxis::from(std::uint64_t chunk_index) const {
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

}}}  // namespace tessera::v0::detail
