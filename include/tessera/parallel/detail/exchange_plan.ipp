#pragma once
#include <tessera/parallel/detail/exchange_plan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

inline ChunkAxes axes_of(std::vector<ChunkEdges> const& edges, Extents const& chunk_shape, Extents const& shape) {
  ChunkAxes axes;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    auto const& axis = axes.emplace_back(edges.empty() ? ChunkEdges{{{chunk_shape[d], 1}}, true} : edges[d], shape[d]);
    if (!edges.empty() && axis.end() < shape[d])
      throw SelectionError{to_text({"dimension ", d, ": found chunks for ", axis.end(), " elements, expected ",
                                    shape[d], ": the lengths of a rectilinear grid do not grow with the array"})};
  }
  return axes;
}

/// Chunks along one dimension that a rank touches. A range of them that one run covers is `whole`.
struct TouchedChunks {
  struct One {
    std::uint64_t number;
    bool is_whole;
  };
  std::vector<One> chunks{};  // ascending
  IndexRuns whole{};          // the covered elements of each such range
};

inline TouchedChunks touched_chunks(ChunkAxis const& axis, IndexRuns const& runs) {
  TouchedChunks touched;
  for (auto const& run : runs) {
    auto const last = axis.chunk_of(run.first + run.count - 1);
    for (auto chunk = axis.chunk_of(run.first); chunk <= last; ++chunk) {
      auto const [first, elements] = axis.chunk(chunk);
      bool const is_whole = run.first <= first && first + elements <= run.first + run.count;
      if (touched.chunks.empty() || touched.chunks.back().number != chunk) touched.chunks.push_back({chunk, is_whole});
      if (!is_whole) continue;
      auto& whole = touched.whole;
      if (!whole.empty() && whole.back().first + whole.back().count == first && whole.back().first >= run.first)
        whole.back().count += elements;
      else
        whole.push_back({first, elements, run.at + (first - run.first)});
    }
  }
  return touched;
}

inline std::vector<RankPart> boxes_of(RankPart const& part) {
  std::vector<RankPart> boxes{RankPart{}};
  for (auto const& runs : part) {
    std::vector<RankPart> longer;
    for (auto const& box : boxes)
      for (auto const& run : runs) {
        longer.push_back(box);
        longer.back().push_back({run});
      }
    boxes = std::move(longer);
  }
  return boxes;
}

inline RankPart own_part(SharedGrid const& grid, int rank, bool with_halo) {
  auto part = grid.partition.part_of(rank, with_halo);
  for (std::size_t d = 0; d < part.size(); ++d)
    for (auto& run : part[d]) run.first += grid.origin[d];
  return part;
}

/// Parts of ranks, at their indices in the array, each computed once.
class PartsOfRanks {
 public:
  PartsOfRanks(SharedGrid const& grid, bool with_halo) : grid_{grid}, with_halo_{with_halo} {}

  RankPart const& operator()(int rank) {
    auto const [found, is_new] = parts_.try_emplace(rank);
    if (is_new) found->second = own_part(grid_, rank, with_halo_);
    return found->second;
  }
  /// The ranks with elements within the bounds.
  std::vector<int> ranks_in(IndexBounds bounds) const {
    for (std::size_t d = 0; d < bounds.first.rank(); ++d) {
      bounds.first[d] -= std::min(bounds.first[d], grid_.origin[d]);
      bounds.stop[d] -= std::min(bounds.stop[d], grid_.origin[d]);
    }
    std::vector<int> ranks;
    grid_.partition.for_each_rank(bounds, with_halo_, [&](int rank) { ranks.push_back(rank); });
    return ranks;
  }

 private:
  SharedGrid const& grid_;
  bool with_halo_;
  std::map<int, RankPart> parts_{};
};

// The one with most elements, so that fewest travel; of several, another one for each value.
inline int owner_of(std::vector<std::pair<int, RankPart>> const& parts, std::uint64_t number) {
  std::uint64_t most = 0;
  std::vector<int> candidates;
  for (auto const& [rank, part] : parts) {
    auto const count = elements_of(part);
    if (count > most) candidates.clear(), most = count;
    if (count == most) candidates.push_back(rank);
  }
  return candidates[number % candidates.size()];
}

inline void add_value(ExchangePlan& plan, std::vector<std::pair<int, RankPart>> parts, int rank,
                            std::uint64_t number, std::size_t item) {
  SharedValue value{number, owner_of(parts, number), {}};
  value.span = bounds_of(parts.front().second);
  std::uint64_t travelling = 0;
  for (auto& [of, part] : parts) {
    auto const bounds = bounds_of(part);
    for (std::size_t d = 0; d < part.size(); ++d) {
      value.span.first[d] = std::min(value.span.first[d], bounds.first[d]);
      value.span.stop[d] = std::max(value.span.stop[d], bounds.stop[d]);
    }
    if (of == rank) {
      value.own = std::move(part);
    } else {
      travelling += elements_of(part);
      value.others.emplace_back(of, std::move(part));
    }
  }
  auto const bytes = [&](std::uint64_t elements) {
    std::string_view const what = "a stored value that several ranks share";
    return checked_size(checked_product(elements, item, what), what);
  };
  value.memory = bytes(element_count(region_of(value.span).count, "a value")) + bytes(travelling);
  if (value.owner != rank) value.others.clear();
  (value.owner == rank ? plan.owned : plan.foreign).push_back(std::move(value));
}

inline ExchangePlan exchange_plan(SharedGrid const& grid, int rank, bool reads, Exchanges exchanges) {
  ExchangePlan plan;
  PartsOfRanks parts_of{grid, reads};
  auto const& own = parts_of(rank);
  if (elements_of(own) == 0) return plan;
  // With a halo, other ranks read what this one has, so no value is its own by its bounds alone.
  bool const is_disjoint = !reads || !grid.partition.has_halo();
  std::vector<TouchedChunks> touched;
  RankPart whole;
  for (std::size_t d = 0; d < own.size(); ++d) {
    touched.push_back(touched_chunks(grid.axes[d], own[d]));
    whole.push_back(touched.back().whole);
  }
  if (is_disjoint) plan.alone = boxes_of(whole);

  std::vector<std::size_t> at(own.size());
  for (;;) {
    bool is_whole = is_disjoint;
    std::uint64_t number = 0;
    IndexBounds bounds;
    for (std::size_t d = 0; d < own.size(); ++d) {
      auto const [chunk, covers] = touched[d].chunks[at[d]];
      auto const [first, elements] = grid.axes[d].chunk(chunk);
      number = number * grid.axes[d].chunks() + chunk;
      is_whole = is_whole && covers;
      bounds.first.push_back(first);
      bounds.stop.push_back(first + elements);
    }
    if (!is_whole) {
      std::vector<std::pair<int, RankPart>> parts;
      for (auto const other : grid.axes.empty() ? std::vector{rank} : parts_of.ranks_in(bounds))
        if (other == rank || exchanges(other)) parts.emplace_back(other, part_within(parts_of(other), bounds));
      bool const is_box = std::all_of(parts.front().second.begin(), parts.front().second.end(),
                                      [](auto const& runs) { return runs.size() == 1; });
      if (parts.size() == 1 && is_box)
        plan.alone.push_back(std::move(parts.front().second));
      else
        add_value(plan, std::move(parts), rank, number, grid.item);
    }
    auto d = own.size();
    while (d-- > 0 && ++at[d] == touched[d].chunks.size()) at[d] = 0;
    if (d == ~std::size_t{0}) return plan;
  }
}

inline std::uint64_t largest_value(ExchangePlan const& plan) {
  std::uint64_t most = 0;
  for (auto const& value : plan.owned) most = std::max(most, value.memory);
  return most;
}

inline std::uint64_t set_rounds(ExchangePlan& plan, std::uint64_t memory) {
  std::uint64_t most = 0, in_round = 0;
  std::uint32_t round = 0;
  for (auto& value : plan.owned) {
    if (value.memory > memory)
      throw BudgetError{to_text({"a stored value that several ranks share needs ", value.memory,
                                 " bytes in one rank, expected at most ", memory, ", half of the option memory"})};
    if (in_round + value.memory > memory) ++round, in_round = 0;
    in_round += value.memory;
    value.round = round;
    most = std::max(most, in_round);
  }
  return most;
}

}}}  // namespace tessera::v0::detail
