// TouchedGrid: the chunks touched by boxes and lists of indices. They form a grid: the i-th chunk is computed from i.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/piece.hpp>
#include <tessera/plan/detail/plan_axis.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Sets dimension d of a part.
TESSERA_DECL void put_run(Part& part, std::size_t d, PlanAxis::Run const& run);

class TouchedGrid {
 public:
  /// Touched chunks that are consecutive in C order.
  struct Neighbours {
    Extents first, count;
  };

  /// The chunks of one group, of group[d] chunks along dimension d, are consecutive.
  void find(ResolvedSelection const& selected, Extents const& chunk_shape, Extents const& group, Repeats repeats);

  std::size_t rank() const { return group_.rank(); }
  std::uint64_t size() const { return size_; }
  PlanAxis const& axis(std::size_t d) const { return axes_[d]; }
  bool has_lists() const { return has_lists_; }

  /// The i-th chunk with the first of its parts; sets its neighbours.
  Piece piece(std::uint64_t i, Neighbours& neighbours) const {
    Piece piece;
    neighbours = neighbours_of(i);
    piece.touched = neighbours.first;
    for (auto d = rank(); d-- > 0; i /= neighbours.count[d]) piece.touched[d] += i % neighbours.count[d];
    piece.chunk = piece.part.first = piece.part.count = piece.part.target = piece.touched;
    for (std::size_t d = 0; d < rank(); ++d) put(piece, d);
    return piece;
  }

  /// Turns a piece into the next one. Returns false after the last of its neighbours.
  bool advance(Piece& piece, Neighbours const& neighbours) const {
    for (auto d = neighbours.first.rank(); d-- > 0;) {
      auto& touched = piece.touched[d];
      bool const is_last = ++touched - neighbours.first[d] == neighbours.count[d];
      if (is_last) touched = neighbours.first[d];
      put(piece, d);
      if (!is_last) return true;
    }
    return false;
  }

 private:
  void put(Piece& piece, std::size_t d) const;

  // The i-th chunk's neighbours: its group, or all chunks. Makes i its number among them. Groups are in C order: `each`
  // chunks precede a group for every touched index before it along d, dimension by dimension.
  Neighbours neighbours_of(std::uint64_t& i) const {
    Neighbours all{Extents::filled(rank(), 0), Extents::filled(rank(), 0)};
    auto each = size_;
    for (std::size_t d = 0; d < rank(); ++d) {
      all.count[d] = axes_[d].size();
      if (!is_grouped_) continue;
      each /= axes_[d].size();
      auto const [begin, end] = axes_[d].grouped(i / each, group_[d]);
      i -= begin * each;
      all.first[d] = begin;
      all.count[d] = end - begin;
      each *= all.count[d];
    }
    return all;
  }

  PlanAxis axes_[max_rank];
  Extents group_;
  std::uint64_t size_ = 0;
  bool has_lists_ = false, is_grouped_ = false;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/plan/detail/touched_grid.ipp>
#endif
