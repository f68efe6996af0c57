#pragma once
#include <tessera/plan/detail/plan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/boxes.hpp>
#include <tessera/plan/detail/chunk_runs.hpp>
#include <tessera/plan/detail/piece.hpp>
#include <tessera/plan/detail/plan_axis.hpp>
#include <tessera/plan/detail/touched_runs.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

TESSERA_DECL void put_run(Part& part, std::size_t d, PlanAxis::Run const& run) {
  part.first[d] = run.first;
  part.count[d] = run.count;
  part.target[d] = run.target;
}

TESSERA_DECL void TouchedGrid::find(ResolvedSelection const& selected, Extents const& chunk_shape, Extents const& group,
                                    Repeats repeats) {
  group_ = group;
  Extents touched;
  auto const& region = selected.region;
  for (std::size_t d = 0; d < rank(); ++d) {
    if (auto const* const list = selected.list(d))
      axes_[d] = {*list, chunk_shape[d], repeats};
    else
      axes_[d] = {region.first[d], region.count[d], region.step[d], chunk_shape[d]};
    has_lists_ |= axes_[d].is_list();
    touched.push_back(axes_[d].size());
  }
  size_ = element_count(touched, "the number of chunks");
  is_grouped_ = group_ != Extents::filled(rank(), 1);
}

TESSERA_DECL void TouchedGrid::put(Piece& piece, std::size_t d) const {
  piece.chunk[d] = axes_[d].chunk(piece.touched[d]);
  put_run(piece.part, d, axes_[d].run(piece.touched[d], 0));
}

TESSERA_DECL bool is_scattered(TouchedGrid const& touched, Extents const& shape) {
  if (!touched.has_lists()) return false;
  double row = 1, box = 1;
  bool is_row = true;  // until the last dimension with a list
  for (auto d = touched.rank(); d-- > 0;) {
    auto const runs = touched.axis(d).runs();
    auto const mean = runs == 0 ? 1 : static_cast<double>(shape[d]) / static_cast<double>(runs);
    box *= mean;
    if (is_row) row *= mean;
    is_row = is_row && !touched.axis(d).is_list();
  }
  return box < 100 + 4 * box / row;
}

}  // namespace detail

TESSERA_DECL Plan::Plan(std::span<PlacedChunk const> listed, Extents const& shape, Extents const& chunk_shape)
    : chunk_shape_{chunk_shape},
      steps_{Extents::filled(chunk_shape.rank(), 1)},
      listed_{listed},
      shape_{shape},
      size_{listed.size()},
      elements_{0} {
  for (auto const& placed : listed) elements_ += detail::elements_of_chunk(chunk_shape, shape, placed.chunk);
}

TESSERA_DECL Plan::Plan(ResolvedSelection const& selected, Extents const& chunk_shape, Extents const& group,
                        Repeats repeats)
    : chunk_shape_{chunk_shape}, steps_{Extents::filled(chunk_shape.rank(), 1)} {
  constexpr auto most = ~std::uint64_t{0};
  for (auto n : selected.shape) elements_ = n != 0 && elements_ > most / n ? most : elements_ * n;
  auto const& grouped = group.rank() == 0 ? steps_ : group;
  runs_.find(selected, elements_, chunk_shape, grouped, repeats);
  if (is_runs()) {
    size_ = runs_.size();
    is_scattered_ = detail::is_scattered(runs_, elements_);
    return;
  }
  grid_.find(selected, chunk_shape, grouped, repeats);
  for (std::size_t d = 0; d < rank(); ++d) steps_[d] = axis(d).step();
  size_ = grid_.size();
  is_scattered_ = detail::is_scattered(grid_, selected.shape);
}

TESSERA_DECL Piece Plan::piece(std::uint64_t i) const {
  Neighbours neighbours;
  return piece(i, neighbours);
}

TESSERA_DECL bool Plan::has_one_part(Piece const& piece) const {
  if (is_box()) return true;
  std::uint64_t elements = 1;
  for (auto n : piece.part.count) elements *= n;
  return elements == this->elements(piece);
}

TESSERA_DECL Part Plan::surrounding(Piece const& piece) const {
  auto box = piece.part;
  if (!listed_.empty()) return box;
  for (std::size_t d = 0; d < rank(); ++d) {
    auto end = std::uint64_t{0};
    for (std::uint64_t r = 0; r < axis(d).runs(piece.touched[d]); ++r) {
      auto const run = axis(d).run(piece.touched[d], r);
      box.first[d] = std::min(box.first[d], run.first);
      end = std::max(end, run.first + (run.count - 1) * steps_[d] + 1);
    }
    box.count[d] = end - box.first[d];
  }
  return box;
}

TESSERA_DECL Strides Plan::strides_in(Strides const& target) const {
  if (!is_runs()) return target;
  auto strides = Strides::filled(rank(), 0);
  if (rank() > 0) strides[rank() - 1] = target[0];
  return strides;
}

TESSERA_DECL Piece Plan::listed_piece(std::uint64_t i) const {
  auto const& [chunk, target, wanted] = listed_[static_cast<std::size_t>(i)];
  auto const none = Extents::filled(rank(), 0);
  Piece piece{chunk, {i}, {wanted ? wanted->first : none, wanted ? wanted->count : chunk_shape_, none}};
  if (!wanted)
    for (std::size_t d = 0; d < rank(); ++d)
      piece.part.count[d] = std::min(chunk_shape_[d], shape_[d] - chunk[d] * chunk_shape_[d]);
  if (rank() > 0) piece.part.target[rank() - 1] = target;
  return piece;
}

TESSERA_DECL void Plan::put(Part& part, Run const& run) const {
  auto position = run.position;
  for (auto d = rank(); d-- > 0; position /= chunk_shape_[d]) part.first[d] = position % chunk_shape_[d];
  if (rank() > 0) part.count[rank() - 1] = run.count;
  part.target[0] = run.target;
}

TESSERA_DECL Piece Plan::piece(std::uint64_t i, Neighbours& neighbours) const {
  if (!listed_.empty()) return listed_piece(i);
  if (is_runs()) {
    Piece piece;
    piece.chunk = runs_.chunk(i);
    piece.touched = {i};
    piece.part = {piece.chunk, Extents::filled(rank(), 1), {0}};
    for_runs(i, [&](Run const& run) {
      put(piece.part, run);
      return false;
    });
    return piece;
  }
  return grid_.piece(i, neighbours);
}

namespace detail {

TESSERA_DECL Plan planned(ResolvedSelection const& selected, Extents const& chunk_shape, Extents const& group,
                          Repeats repeats) {
  return Plan{selected, chunk_shape, group, repeats};
}

}  // namespace detail
}}  // namespace tessera::v0
