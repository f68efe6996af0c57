// Plan: the chunks that a selection touches, and the selected parts of each. For boxes nothing is allocated: the i-th
// piece is computed from i.
// is_scattered: whether a chunk's parts are so small that placing a list of elements is faster.
// TouchedGrid: the chunks touched by boxes and lists of indices. They form a grid: the i-th chunk is computed from i.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/chunk_runs.hpp>
#include <tessera/plan/detail/piece.hpp>
#include <tessera/plan/detail/plan_axis.hpp>
#include <tessera/plan/detail/touched_runs.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

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

// A box costs as much as 100 elements of a list, and each of its rows as much as 4.

inline bool is_scattered(TouchedRuns const& touched, std::uint64_t elements) {
  return elements / 100 <= touched.runs();
}

/// `shape` is the selection's.
TESSERA_DECL bool is_scattered(TouchedGrid const& touched, Extents const& shape);

}  // namespace detail

class Plan {
  using Run = detail::TouchedRuns::Run;

 public:
  /// Plans the listed chunks, in their order, each with its elements in an array of shape `shape`. Requires: the chunks
  /// of a shard are consecutive; the list outlives the plan.
  Plan(std::span<PlacedChunk const> listed, Extents const& shape, Extents const& chunk_shape);

  /// Requires: the selection's indices are in the array; a selection with lists, points or a mask outlives the plan.
  /// The chunks of one group, of group[d] chunks along dimension d, are consecutive; without a group chunks are in C
  /// order.
  Plan(ResolvedSelection const& selected, Extents const& chunk_shape, Extents const& group = {},
       Repeats repeats = Repeats::all);

  /// The number of touched chunks.
  std::uint64_t size() const { return size_; }
  /// The number of selected elements, with repetitions; 2^64 - 1, if there are more.
  std::uint64_t elements() const { return elements_; }
  /// The distance between neighbouring elements of a part, in the array, along each dimension; shorter than a chunk.
  Extents const& steps() const { return steps_; }
  /// Every piece has one part.
  bool is_box() const { return !grid_.has_lists() && !is_runs(); }
  /// Pieces are runs of elements, selected by points or a mask; the target has one dimension.
  bool is_runs() const { return runs_.are_there(); }
  /// Parts are so small that placing a list of elements is faster.
  bool is_scattered() const { return is_scattered_; }

  /// The i-th chunk with its selected elements.
  Piece piece(std::uint64_t i) const;

  /// Calls f(piece) for the pieces [first, last), in order; updates only what differs from the piece before.
  template <class F>
  void for_each_piece(std::uint64_t first, std::uint64_t last, F&& f) const {
    for (auto i = first; i < last;) {
      Neighbours neighbours;
      auto piece = this->piece(i, neighbours);
      do f(std::as_const(piece));
      while (++i < last && listed_.empty() && grid_.advance(piece, neighbours));
    }
  }

  bool has_one_part(Piece const& piece) const;

  /// The number of selected elements of a piece, with repetitions.
  std::uint64_t elements(Piece const& piece) const {
    if (is_runs()) return runs_.elements(piece.touched[0]);
    std::uint64_t product = 1;
    for (std::size_t d = 0; d < rank(); ++d)
      product *= grid_.has_lists() ? axis(d).elements(piece.touched[d]) : piece.part.count[d];
    return product;
  }

  /// For a plan of runs: calls f(run) for each run of a piece.
  template <class F>
  void for_each_run(Piece const& piece, F&& f) const {
    runs_.for_each_run(piece.touched[0], [&](Run const& run) {
      f(run);
      return true;
    });
  }
  /// For any other plan: the chunks and runs along one dimension.
  detail::PlanAxis const& axis(std::size_t d) const { return grid_.axis(d); }
  /// The smallest box that contains all parts of a piece.
  Part surrounding(Piece const& piece) const;
  std::size_t axes() const { return is_runs() ? 0 : rank(); }

  /// Calls f(part) for each part of a piece. Parts do not overlap in the target.
  void for_each_part(Piece const& piece, FunctionRef<void(Part const&)> f) const {
    if (is_box()) return f(piece.part);
    auto part = piece.part;
    if (is_runs())
      return for_runs(piece.touched[0], [&](Run const& run) {
        put(part, run);
        f(part);
        return true;
      });
    auto run = Extents::filled(rank(), 0);
    for (;;) {
      f(part);
      auto d = rank();
      do {
        if (d-- == 0) return;
        if (++run[d] == axis(d).runs(piece.touched[d])) run[d] = 0;
        detail::put_run(part, d, axis(d).run(piece.touched[d], run[d]));
      } while (run[d] == 0);
    }
  }

  /// The distances between a part's neighbouring elements in the target, along each dimension of the array.
  Strides strides_in(Strides const& target) const;

 private:
  using Neighbours = detail::TouchedGrid::Neighbours;

  Piece listed_piece(std::uint64_t i) const;
  std::size_t rank() const { return chunk_shape_.rank(); }

  void put(Part& part, Run const& run) const;

  // Calls f(run) for each run of the k-th chunk, until f returns false. For long runs, or when one run is needed.
  void for_runs(std::uint64_t k, FunctionRef<bool(Run const&)> f) const { runs_.for_each_run(k, f); }

  Piece piece(std::uint64_t i, Neighbours& neighbours) const;

  Extents chunk_shape_, steps_;
  std::span<PlacedChunk const> listed_{};  // empty: the plan is of a selection
  Extents shape_{};                        // the array's, with a list
  detail::TouchedGrid grid_;
  detail::TouchedRuns runs_;
  std::uint64_t size_ = 0, elements_ = 1;
  bool is_scattered_ = false;
};

namespace detail {

/// For functions that accept a selection or its plan.
TESSERA_DECL Plan planned(ResolvedSelection const& selected, Extents const& chunk_shape, Extents const& group,
                    Repeats repeats = Repeats::all);
inline Plan const& planned(Plan const& plan, Extents const&, Extents const&, Repeats = Repeats::all) { return plan; }

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/plan/detail/plan.ipp>
#endif
