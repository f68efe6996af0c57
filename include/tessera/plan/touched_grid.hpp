// The chunks that boxes and lists of indices touch, which are a grid of their own: its i-th chunk follows from i.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/dimensions.hpp>
#include <tessera/plan/piece.hpp>
#include <tessera/plan/plan_axis.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Of a part, what it has along one dimension.
inline void put_run(Part& part, std::size_t d, PlanAxis::Run const& run) {
  part.first[d] = run.first;
  part.count[d] = run.count;
  part.target[d] = run.target;
}

class TouchedGrid {
 public:
  /// Touched chunks that follow each other in C order.
  struct Neighbours {
    Extents first, count;
  };

  /// Chunks that are in one group, of group[d] chunks along dimension d, follow each other.
  void find(ResolvedSelection const& selected, Extents const& chunk_shape, Extents const& group, Repeats repeats) {
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

  std::size_t rank() const { return group_.rank(); }
  std::uint64_t size() const { return size_; }
  PlanAxis const& axis(std::size_t d) const { return axes_[d]; }
  bool has_lists() const { return has_lists_; }

  /// The i-th chunk and the first of its parts, and its neighbours.
  Piece piece(std::uint64_t i, Neighbours& neighbours) const {
    Piece piece;
    neighbours = neighbours_of(i);
    piece.touched = neighbours.first;
    for (auto d = rank(); d-- > 0; i /= neighbours.count[d]) piece.touched[d] += i % neighbours.count[d];
    piece.chunk = piece.part.first = piece.part.count = piece.part.target = piece.touched;
    for (std::size_t d = 0; d < rank(); ++d) put(piece, d);
    return piece;
  }

  /// Makes of a piece the next. False: it was the last of its neighbours.
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
  void put(Piece& piece, std::size_t d) const {
    piece.chunk[d] = axes_[d].chunk(piece.touched[d]);
    put_run(piece.part, d, axes_[d].run(piece.touched[d], 0));
  }

  // Those of the i-th chunk, of which it is the i-th then: a group, or all. The groups are in C order too: before the
  // s-th along the first dimension lie as many chunks as are touched in dimensions behind it, for each that is touched
  // before the group; and so on, within it, along the next.
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
