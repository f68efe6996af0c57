// touched_chunks: the inner chunks that a selection touches.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tessera/cache/detail/cached_chunk.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Neighbouring chunks: those touched by a region whose steps are no longer than chunks. Needs no allocation.
template <std::size_t Rank>
class ChunkRange {
 public:
  /// Adds the region's dimension d.
  void add(std::size_t d, Steps const& selected, std::uint64_t chunk_length) {
    if (selected.step > chunk_length) are_neighbours_ = false;
    if (selected.count == 0) return void(is_empty_ = true);
    auto const first = selected.first / chunk_length, rest = selected.first % chunk_length;
    auto const end = rest + (selected.count - 1) * selected.step;
    first_.place[d] = first;
    last_.place[d] = end < chunk_length ? first : first + end / chunk_length;
  }
  /// False: the range must not be used.
  bool are_neighbours() const { return are_neighbours_; }

  /// Calls f(number) for each chunk, in C order, until it returns false. Returns whether it never did.
  template <class F>
  bool for_each(F&& f) const {
    if (is_empty_) return true;
    for (auto at = first_;;) {
      if (!f(std::as_const(at))) return false;
      auto d = Rank;
      for (;;) {
        if (d-- == 0) return true;
        if (at.place[d]++ < last_.place[d]) break;
        at.place[d] = first_.place[d];
      }
    }
  }

 private:
  ChunkNumber<Rank> first_, last_;
  bool is_empty_ = false, are_neighbours_ = true;
};

/// The chunks that a box touches. Throws: SelectionError.
template <std::size_t Rank>
ChunkRange<Rank> touched_chunks(Box const& box, Extents const& array_shape, Extents const& chunk_shape) {
  ChunkRange<Rank> range;
  box.for_each_dimension(array_shape,
                         [&](std::size_t d, Steps const& selected) { range.add(d, selected, chunk_shape[d]); });
  return range;
}

/// The chunks that any selection touches, one for each piece of its plan.
template <std::size_t Rank>
std::vector<ChunkNumber<Rank>> touched_chunks(Plan const& plan) {
  std::vector<ChunkNumber<Rank>> numbers;
  numbers.reserve(plan.size());
  plan.for_each_piece(0, plan.size(), [&](Piece const& piece) {
    auto& number = numbers.emplace_back();
    for (std::size_t d = 0; d < Rank; ++d) number.place[d] = piece.chunk[d];
  });
  return numbers;
}

}}}  // namespace tessera::v0::detail
