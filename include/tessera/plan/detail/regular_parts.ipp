#pragma once
#include <tessera/plan/detail/regular_parts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

TESSERA_DECL RegularPart part_along(std::vector<AxisPart const*> const& axes) {
  RegularPart part;
  for (auto const* one : axes) {
    part.first_chunk.push_back(one->first_chunk);
    part.shape.push_back(one->elements);
    part.chunk_shape.push_back(one->chunk);
  }
  return part;
}

// Gathers elements while they lie in one part.
class PointGathering {
 public:
  PointGathering(ChunkAxes const& axes, UsePart f) : axes_{axes}, f_{f} {}

  void add(std::uint64_t const* place) {
    std::vector<AxisPart const*> here;
    for (std::size_t d = 0; d < axes_.size(); ++d) here.push_back(&axes_[d].part_of(place[d]));
    if (here != parts_) give();
    parts_ = std::move(here);
    for (std::size_t d = 0; d < axes_.size(); ++d) places_.push_back(place[d] - parts_[d]->first);
    ++count_;
  }
  void give() {
    if (count_ == 0) return;
    auto const part = part_along(parts_);
    auto const owner = std::make_shared<std::vector<std::uint64_t> const>(std::exchange(places_, {}));
    auto const count = std::exchange(count_, 0);
    f_(part, ResolvedSelection{PointList{*owner, owner, count}}, {std::exchange(before_, before_ + count)});
  }

 private:
  ChunkAxes const& axes_;
  UsePart f_;
  std::vector<AxisPart const*> parts_;
  std::vector<std::uint64_t> places_;
  std::uint64_t count_ = 0, before_ = 0;
};

// Single elements of a rectilinear grid, part by part.
TESSERA_DECL void each_part_of_points(ResolvedSelection const& selected, ChunkAxes const& axes, UsePart f) {
  auto const rank = axes.size();
  PointGathering gathering{axes, f};
  auto const& [first, count, owner] = selected.points;
  for (std::size_t i = 0; i * rank < first.size(); ++i) {
    std::vector<std::uint64_t> place(first.begin() + static_cast<std::ptrdiff_t>(i * rank),
                                     first.begin() + static_cast<std::ptrdiff_t>((i + 1) * rank));
    for (std::uint64_t k = 0; k < (count.empty() ? 1 : count[i]); ++k, ++place.back()) gathering.add(place.data());
  }
  gathering.give();
}

TESSERA_DECL void each_part_of_mask(ResolvedSelection const& selected, ChunkAxes const& axes, Extents const& shape,
                                    UsePart f) {
  PointGathering gathering{axes, f};
  std::vector<std::uint64_t> place(axes.size());
  selected.mask.for_each_run(0, element_count(shape, "shape"), [&](std::uint64_t first, std::uint64_t count) {
    for (auto i = first; i < first + count; ++i) {
      auto rest = i;
      for (auto d = axes.size(); d-- > 0; rest /= shape[d]) place[d] = rest % shape[d];
      gathering.add(place.data());
    }
    return true;
  });
  gathering.give();
}

TESSERA_DECL std::vector<AxisPiece> pieces_of(ChunkAxis const& axis, std::uint64_t first, std::uint64_t count,
                                              std::uint64_t step) {
  std::vector<AxisPiece> pieces;
  for (std::uint64_t i = 0; i < count;) {
    auto const& part = axis.part_of(first + i * step);
    auto const begin = first + i * step - part.first;
    auto const some = std::min(count - i, (part.elements - begin - 1) / step + 1);
    pieces.push_back({&part, begin, some, step, i});
    i += some;
  }
  return pieces;
}

TESSERA_DECL std::vector<AxisPiece> pieces_of(ChunkAxis const& axis, std::vector<std::uint64_t> const& list) {
  std::vector<AxisPiece> pieces;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto const& part = axis.part_of(list[i]);
    if (pieces.empty() || pieces.back().part != &part) pieces.push_back({&part, 0, 0, 1, i});
    pieces.back().indices.push_back(list[i] - part.first);
    ++pieces.back().count;
  }
  return pieces;
}

TESSERA_DECL void each_part_of_box(ResolvedSelection const& selected, ChunkAxes const& axes, UsePart f) {
  auto const rank = axes.size();
  std::vector<std::vector<AxisPiece>> pieces;
  for (std::size_t d = 0; d < rank; ++d) {
    auto const* const list = selected.list(d);
    auto const& region = selected.region;
    pieces.push_back(list ? pieces_of(axes[d], *list)
                          : pieces_of(axes[d], region.first[d], region.count[d], region.step[d]));
    if (pieces.back().empty()) return;
  }
  auto at = Extents::filled(rank, 0);
  for (;;) {
    RegularPart part;
    Region region;
    Extents target;
    std::vector<IndexList> lists;
    for (std::size_t d = 0; d < rank; ++d) {
      auto const& one = pieces[d][static_cast<std::size_t>(at[d])];
      part.first_chunk.push_back(one.part->first_chunk);
      part.shape.push_back(one.part->elements);
      part.chunk_shape.push_back(one.part->chunk);
      region.first.push_back(one.first);
      region.count.push_back(one.count);
      region.step.push_back(one.step);
      target.push_back(one.target);
      if (!one.indices.empty()) lists.push_back({d, one.indices});
    }
    ResolvedSelection some{region};
    some.lists = std::move(lists);
    f(part, some, target);
    auto d = rank;
    do {
      if (d-- == 0) return;
      at[d] = at[d] + 1 == pieces[d].size() ? 0 : at[d] + 1;
    } while (at[d] == 0);
  }
}

TESSERA_DECL void for_each_regular_part(ResolvedSelection const& selected, ChunkAxes const& axes, Extents const& shape,
                                        UsePart f) {
  if (selected.is_points) return each_part_of_points(selected, axes, f);
  if (selected.is_mask) return each_part_of_mask(selected, axes, shape, f);
  each_part_of_box(selected, axes, f);
}

TESSERA_DECL void for_each_regular_part(std::span<PlacedChunk const> listed, ChunkAxes const& axes,
                                        Extents const& inner, UseListedPart f) {
  bool const are_in_shards = inner.rank() > 0;
  std::map<std::vector<AxisPart const*>, std::vector<PlacedChunk>> by_part;
  for (auto placed : listed) {
    std::vector<AxisPart const*> parts;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      auto& chunk = placed.chunk[d];
      auto const& part = are_in_shards ? axes[d].part_of(chunk * inner[d]) : axes[d].part_of_chunk(chunk);
      chunk -= are_in_shards ? part.first / inner[d] : part.first_chunk;
      parts.push_back(&part);
    }
    by_part[std::move(parts)].push_back(placed);
  }
  for (auto& [parts, chunks] : by_part) {
    auto const part = part_along(parts);
    if (are_in_shards)
      std::ranges::stable_sort(chunks, [&](PlacedChunk const& a, PlacedChunk const& b) {
        for (std::size_t d = 0; d < inner.rank(); ++d) {
          auto const each = part.chunk_shape[d] / inner[d];
          if (a.chunk[d] / each != b.chunk[d] / each) return a.chunk[d] < b.chunk[d];
        }
        return false;
      });
    f(part, chunks);
  }
}

}  // namespace detail
}}  // namespace tessera::v0
