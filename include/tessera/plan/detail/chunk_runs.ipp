#pragma once
#include <tessera/plan/detail/chunk_runs.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/chunk_numbers.hpp>
#include <tessera/plan/detail/radix_sort.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL ChunkRuns::ChunkRuns(std::span<std::uint64_t const> places, std::span<std::uint64_t const> counts,
                                  std::uint64_t elements, Extents const& chunk_shape, Extents const& group,
                                  Repeats repeats) {
  Places const from{places, counts, counts.empty() ? elements : counts.size(), chunk_shape};
  std::uint64_t in_chunk = 1;
  for (auto n : chunk_shape) in_chunk *= n;
  std::uint64_t cuts = counts.empty() ? elements : 0;
  if (!counts.empty()) from.for_each([&](auto const&...) { ++cuts; });
  if (cuts == 0) return;
  numbers_ = from.numbers(group);
  if (std::max({numbers_.count(), in_chunk, elements}) >> 32 == 0)
    sort(small_, from, cuts, in_chunk, repeats);
  else
    sort(large_, from, cuts, in_chunk, repeats);
}

TESSERA_DECL ChunkRuns::Run ChunkRuns::run(std::uint64_t k, std::uint64_t r) const {
  auto const i = static_cast<std::size_t>(chunks_[k].first_run + r);
  return large_.size() == 0 ? run_of(small_[i]) : run_of(large_[i]);
}

TESSERA_DECL ChunkNumbers ChunkRuns::Places::numbers(Extents const& group) const {
  auto grid = chunk_shape, origin = chunk_shape;
  auto const rank = grid.rank();
  for (std::size_t d = 0; d < rank; ++d) {
    std::uint64_t least = ~std::uint64_t{0}, last = 0;
    if (counts.empty() || d + 1 < rank)
      for (auto i = d; i < places.size(); i += rank)
        least = std::min(least, places[i]), last = std::max(last, places[i]);
    else
      for_each([&](std::uint64_t const*, std::uint64_t first, auto...) {
        least = std::min(least, first), last = std::max(last, first);
      });
    origin[d] = least / chunk_shape[d] / group[d] * group[d];
    grid[d] = last / chunk_shape[d] + 1 - origin[d];
  }
  return {grid, group, origin};
}

TESSERA_DECL std::uint64_t ChunkRuns::quotient(std::uint64_t n, std::uint64_t by) {
  if ((n | by) >> 32 == 0) return static_cast<std::uint32_t>(n) / static_cast<std::uint32_t>(by);
  return n / by;
}

}}}  // namespace tessera::v0::detail
