#pragma once
#include <tessera/parallel/partition.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// The same number for each dimension, if there is none.
inline Extents or_filled(Extents const& given, std::size_t rank, std::uint64_t value, std::string_view what) {
  if (given.rank() == 0) return Extents::filled(rank, value);
  if (given.rank() != rank)
    throw SelectionError{to_text({"found ", what, " of ", given.rank(), " dimensions, expected ", rank})};
  return given;
}

/// Deals the prime factors of the number of ranks, the largest first, to the dimension with the most units per block.
inline Extents grid_for(int ranks, Extents const& units) {
  std::vector<std::uint64_t> factors;
  auto left = static_cast<std::uint64_t>(ranks);
  for (std::uint64_t factor = 2; factor * factor <= left; ++factor)
    for (; left % factor == 0; left /= factor) factors.push_back(factor);
  if (left > 1) factors.push_back(left);
  auto grid = Extents::filled(units.rank(), 1);
  for (auto factor = factors.rbegin(); factor != factors.rend(); ++factor) {
    std::size_t longest = 0;
    for (std::size_t d = 1; d < units.rank(); ++d) {
      auto const length = units[d] / grid[d], most = units[longest] / grid[longest];
      if (length > most || (length == most && grid[d] < grid[longest])) longest = d;
    }
    grid[longest] *= *factor;
  }
  return grid;
}

inline Extents expect_grid(Extents const& given, int ranks, Extents const& units) {
  if (units.rank() == 0) {
    if (ranks != 1)
      throw SelectionError{to_text({"found an array without dimensions and ", ranks, " ranks, expected 1"})};
    return {};
  }
  if (given.rank() == 0) return grid_for(ranks, units);
  auto const grid = or_filled(given, units.rank(), 1, "a grid of ranks");
  if (count_or_most(grid) != static_cast<std::uint64_t>(ranks))
    throw SelectionError{to_text({"found a grid of ranks ", to_string(grid), ", expected one of ", ranks, " ranks"})};
  return grid;
}

inline Extents units_of(Extents const& shape, Extents const& unit) {
  Extents units;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    if (unit[d] == 0)
      throw SelectionError{to_text({"dimension ", d, ": found blocks of length 0, expected 1 or more"})};
    units.push_back(shape[d] / unit[d] + (shape[d] % unit[d] != 0));
  }
  return units;
}

/// Neighbouring runs become one.
inline void add_run(IndexRuns& runs, std::uint64_t first, std::uint64_t stop) {
  if (first >= stop) return;
  auto const at = runs.empty() ? 0 : runs.back().at + runs.back().count;
  if (!runs.empty() && runs.back().first + runs.back().count == first)
    runs.back().count += stop - first;
  else
    runs.push_back({first, stop - first, at});
}

inline bool are_within(IndexRuns const& runs, std::uint64_t first, std::uint64_t stop) {
  for (auto const& run : runs)
    if (run.first < stop && first < run.first + run.count) return true;
  return false;
}

// Boxes sorted by their first index: each is compared with those that begin before it ends.
inline void expect_disjoint(std::vector<IndexBounds> const& boxes) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    bool is_empty = false;
    for (std::size_t d = 0; d < boxes[i].first.rank(); ++d) is_empty |= boxes[i].first[d] >= boxes[i].stop[d];
    if (!is_empty) order.push_back(i);
  }
  auto const begin_of = [&](std::size_t i) { return boxes[i].first.rank() == 0 ? 0 : boxes[i].first[0]; };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return begin_of(a) < begin_of(b); });
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      auto const &a = boxes[order[i]], &b = boxes[order[j]];
      if (a.first.rank() > 0 && b.first[0] >= a.stop[0]) break;
      bool overlap = true;
      for (std::size_t d = 0; d < a.first.rank(); ++d)
        overlap = overlap && a.first[d] < b.stop[d] && b.first[d] < a.stop[d];
      if (overlap)
        throw SelectionError{to_text({"the boxes of ranks ", std::min(order[i], order[j]), " and ",
                                      std::max(order[i], order[j]), " overlap, expected each element in one box"})};
    }
}

}  // namespace detail

inline Partition::Partition(Extents const& shape, int ranks, Extents const& halo)
    : shape_{shape}, halo_{detail::or_filled(halo, shape.rank(), 0, "a halo")}, ranks_{ranks} {
  if (ranks < 1) throw SelectionError{to_text({"found ", ranks, " ranks, expected 1 or more"})};
}

inline Partition Partition::blocks(Extents const& shape, int ranks, PartitionOptions const& options) {
  Partition made{shape, ranks, options.halo};
  auto const unit = detail::or_filled(options.align, shape.rank(), 1, "an alignment");
  auto const units = detail::units_of(shape, unit);
  made.grid_ = detail::expect_grid(options.grid, ranks, units);
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    auto& places = made.axes_.emplace_back(made.grid_[d]);
    auto const whole = units[d] / made.grid_[d], more = units[d] % made.grid_[d];  // the first blocks have one more
    auto const begin = [&](std::uint64_t place) {
      auto const before = place * whole + std::min(place, more);
      return before == units[d] ? shape[d] : before * unit[d];  // the last block may end beyond 64 bits
    };
    for (std::uint64_t i = 0; i < made.grid_[d]; ++i) detail::add_run(places[i], begin(i), begin(i + 1));
  }
  return made;
}

inline Partition Partition::cyclic(Extents const& shape, int ranks, Extents const& block, Extents const& grid) {
  Partition made{shape, ranks, {}};
  auto const unit = detail::or_filled(block, shape.rank(), 1, "a block");
  auto const units = detail::units_of(shape, unit);
  made.grid_ = detail::expect_grid(grid, ranks, units);
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    auto& places = made.axes_.emplace_back(made.grid_[d]);
    for (std::uint64_t i = 0; i < units[d]; ++i)
      detail::add_run(places[i % made.grid_[d]], i * unit[d], i + 1 == units[d] ? shape[d] : (i + 1) * unit[d]);
  }
  return made;
}

inline Partition Partition::boxes(Extents const& shape, std::span<Box const> boxes, Extents const& halo) {
  Partition made{shape, static_cast<int>(boxes.size()), halo};
  for (auto const& box : boxes) {
    auto const region = box.resolve(shape);
    auto& bounds = made.boxes_.emplace_back(detail::IndexBounds{region.first, region.first});
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      if (region.step[d] != 1 && region.count[d] > 1)
        throw SelectionError{to_text({"dimension ", d, ": found a step of ", region.step[d], ", expected 1"})};
      bounds.stop[d] += region.count[d];
    }
  }
  detail::expect_disjoint(made.boxes_);
  return made;
}

inline bool Partition::has_halo() const {
  return std::any_of(halo_.begin(), halo_.end(), [](std::uint64_t n) { return n != 0; });
}

inline void Partition::expect_rank(int rank) const {
  if (rank < 0 || rank >= ranks_) throw SelectionError{to_text({"found rank ", rank, ", expected one below ", ranks_})};
}

// Runs of one block, or all of a cyclic partition, which has no halo. Places count from the halo's beginning.
inline detail::IndexRuns Partition::with_halo_at(detail::IndexRuns runs, std::size_t d, bool with_halo) const {
  if (halo_[d] == 0 || runs.empty()) return runs;
  auto& run = runs.front();
  auto const before = std::min(run.first, halo_[d]), behind = std::min(shape_[d] - run.first - run.count, halo_[d]);
  if (with_halo)
    run = {run.first - before, run.count + before + behind, 0};
  else
    run.at = before;
  return runs;
}

inline detail::RankPart Partition::part_of(int rank, bool with_halo) const {
  expect_rank(rank);
  detail::RankPart part(shape_.rank());
  auto place = static_cast<std::uint64_t>(rank);
  for (std::size_t d = shape_.rank(); d-- > 0;) {
    if (grid_.rank() > 0) {
      part[d] = with_halo_at(axes_[d][place % grid_[d]], d, with_halo);
      place /= grid_[d];
    } else {
      auto const& [first, stop] = boxes_[static_cast<std::size_t>(rank)];
      detail::IndexRuns own;
      detail::add_run(own, first[d], stop[d]);
      part[d] = with_halo_at(std::move(own), d, with_halo);
    }
  }
  // Without elements there is no halo either.
  if (std::any_of(part.begin(), part.end(), [](auto const& runs) { return runs.empty(); }))
    for (auto& runs : part) runs.clear();
  return part;
}

inline bool Partition::divides(std::size_t d) const {
  if (grid_.rank() > 0)
    return std::count_if(axes_[d].begin(), axes_[d].end(), [](auto const& runs) { return !runs.empty(); }) > 1;
  detail::IndexBounds const* first = nullptr;
  for (auto const& box : boxes_) {
    bool has_elements = true;
    for (std::size_t e = 0; e < shape_.rank(); ++e) has_elements = has_elements && box.first[e] < box.stop[e];
    if (!has_elements) continue;
    if (first && (box.first[d] != first->first[d] || box.stop[d] != first->stop[d])) return true;
    first = &box;
  }
  return false;
}

inline std::uint64_t Partition::fingerprint() const {
  std::uint64_t hash = 0xcbf29ce484222325;
  auto const add = [&](std::uint64_t number) {  // FNV-1a, and its high bits also to the low ones
    hash = (hash ^ number) * 0x100000001b3;
    hash ^= hash >> 29;
  };
  auto const add_all = [&](Extents const& numbers) {
    add(numbers.rank());
    for (auto number : numbers) add(number);
  };
  add(static_cast<std::uint64_t>(ranks_));
  for (auto const* numbers : {&shape_, &halo_, &grid_}) add_all(*numbers);
  for (auto const& places : axes_)
    for (auto const& runs : places) {
      add(runs.size());
      for (auto const& run : runs) add(run.first), add(run.count);
    }
  for (auto const& box : boxes_) add_all(box.first), add_all(box.stop);
  return hash;
}

inline void Partition::for_each_rank(detail::IndexBounds const& within, bool with_halo,
                                           FunctionRef<void(int)> f) const {
  if (grid_.rank() == 0) {
    for (int rank = 0; rank < ranks_; ++rank) {
      auto const part = part_of(rank, with_halo);
      bool touches = true;
      for (std::size_t d = 0; d < part.size(); ++d)
        touches = touches && detail::are_within(part[d], within.first[d], within.stop[d]);
      if (touches) f(rank);
    }
    return;
  }
  std::vector<std::vector<std::uint64_t>> places(grid_.rank());
  for (std::size_t d = 0; d < grid_.rank(); ++d) {
    for (std::uint64_t i = 0; i < grid_[d]; ++i)
      if (detail::are_within(with_halo_at(axes_[d][i], d, with_halo), within.first[d], within.stop[d]))
        places[d].push_back(i);
    if (places[d].empty()) return;
  }
  std::vector<std::size_t> at(grid_.rank());
  for (;;) {
    std::uint64_t rank = 0;
    for (std::size_t d = 0; d < grid_.rank(); ++d) rank = rank * grid_[d] + places[d][at[d]];
    f(static_cast<int>(rank));
    auto d = grid_.rank();
    while (d-- > 0 && ++at[d] == places[d].size()) at[d] = 0;
    if (d == ~std::size_t{0}) return;
  }
}

inline Box Partition::box_of(int rank, bool with_halo) const {
  std::vector<Slice> slices;
  for (auto const& runs : part_of(rank, with_halo)) {
    if (runs.size() > 1)
      throw SelectionError{to_text({"rank ", rank, " has ", runs.size(),
                                    " blocks along a dimension, expected one box: a cyclic partition has several"})};
    runs.empty() ? slices.emplace_back(0, 0) : slices.emplace_back(runs[0].first, runs[0].first + runs[0].count);
  }
  return Box{std::move(slices)};
}
inline Box Partition::local_box(int rank) const { return box_of(rank, false); }
inline Box Partition::memory_box(int rank) const { return box_of(rank, true); }

inline Extents Partition::memory_shape(int rank) const {
  Extents shape;
  for (auto const& runs : part_of(rank, true)) {
    std::uint64_t length = 0;
    for (auto const& run : runs) length += run.count;
    shape.push_back(length);
  }
  return shape;
}

}}  // namespace tessera::v0
