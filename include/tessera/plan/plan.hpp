// Plan: which chunks a selection touches, and which parts of each. For boxes nothing is allocated: the i-th piece
// follows from i.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/function_ref.hpp>
#include <tessera/plan/boxes.hpp>
#include <tessera/plan/chunk_runs.hpp>
#include <tessera/plan/is_scattered.hpp>
#include <tessera/plan/piece.hpp>
#include <tessera/plan/plan_axis.hpp>
#include <tessera/plan/touched_grid.hpp>
#include <tessera/plan/touched_runs.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 {

class Plan {
  using Run = detail::TouchedRuns::Run;

 public:
  /// Of each chunk that which lies in an array of that shape, chunk by chunk as they are listed; those of one shard
  /// follow each other. The list outlives the plan.
  Plan(std::span<PlacedChunk const> listed, Extents const& shape, Extents const& chunk_shape)
      : chunk_shape_{chunk_shape},
        steps_{Extents::filled(chunk_shape.rank(), 1)},
        listed_{listed},
        shape_{shape},
        size_{listed.size()},
        elements_{0} {
    for (auto const& placed : listed) elements_ += detail::elements_of_chunk(chunk_shape, shape, placed.chunk);
  }

  /// The selection's indices are in the array; it outlives the plan if it has lists, points or a mask. Chunks that are
  /// in one group, of group[d] chunks along dimension d, follow each other; without a group they are in C order.
  Plan(ResolvedSelection const& selected, Extents const& chunk_shape, Extents const& group = {},
       Repeats repeats = Repeats::all)
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

  /// The number of chunks that the selection touches.
  std::uint64_t size() const { return size_; }
  /// How many elements are selected, or the most that a number can say; one that is repeated counts each time.
  std::uint64_t elements() const { return elements_; }
  /// The distance from one element of a part to the next, in the array, along each dimension; shorter than a chunk.
  Extents const& steps() const { return steps_; }
  /// Every piece has one part.
  bool is_box() const { return !grid_.has_lists() && !is_runs(); }
  /// Pieces are runs of elements of a chunk, by points or by a mask; the target has one dimension.
  bool is_runs() const { return runs_.are_there(); }
  /// Parts are so small that a list of elements is placed sooner than they are.
  bool is_scattered() const { return is_scattered_; }

  /// The i-th chunk and what of it is selected.
  Piece piece(std::uint64_t i) const {
    Neighbours neighbours;
    return piece(i, neighbours);
  }

  /// Calls f(piece) for the pieces [first, last), in order, and works out only what differs from the one before.
  template <class F>
  void for_each_piece(std::uint64_t first, std::uint64_t last, F&& f) const {
    for (auto i = first; i < last;) {
      Neighbours neighbours;
      auto piece = this->piece(i, neighbours);
      do f(std::as_const(piece));
      while (++i < last && listed_.empty() && grid_.advance(piece, neighbours));
    }
  }

  bool has_one_part(Piece const& piece) const {
    if (is_box()) return true;
    std::uint64_t elements = 1;
    for (auto n : piece.part.count) elements *= n;
    return elements == this->elements(piece);
  }

  /// Elements that are selected; one that is repeated counts each time.
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
  /// For any other plan: what of a piece is selected along a dimension.
  detail::PlanAxis const& axis(std::size_t d) const { return grid_.axis(d); }
  /// The smallest box of neighbours that has all parts of a piece.
  Part surrounding(Piece const& piece) const {
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
  std::size_t axes() const { return is_runs() ? 0 : rank(); }

  /// Calls f(part) for each part of a piece. No two parts share a place in the target.
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

  /// The distances of a part's neighbours in the target, along each dimension of the array.
  Strides strides_in(Strides const& target) const {
    if (!is_runs()) return target;
    auto strides = Strides::filled(rank(), 0);
    if (rank() > 0) strides[rank() - 1] = target[0];
    return strides;
  }

 private:
  using Neighbours = detail::TouchedGrid::Neighbours;

  Piece listed_piece(std::uint64_t i) const {
    auto const& [chunk, target] = listed_[static_cast<std::size_t>(i)];
    auto const none = Extents::filled(rank(), 0);
    Piece piece{chunk, {i}, {none, chunk_shape_, none}};
    for (std::size_t d = 0; d < rank(); ++d)
      piece.part.count[d] = std::min(chunk_shape_[d], shape_[d] - chunk[d] * chunk_shape_[d]);
    if (rank() > 0) piece.part.target[rank() - 1] = target;
    return piece;
  }
  std::size_t rank() const { return chunk_shape_.rank(); }

  void put(Part& part, Run const& run) const {
    auto position = run.position;
    for (auto d = rank(); d-- > 0; position /= chunk_shape_[d]) part.first[d] = position % chunk_shape_[d];
    if (rank() > 0) part.count[rank() - 1] = run.count;
    part.target[0] = run.target;
  }

  // Calls f(run) for each of the k-th chunk, until it returns false: where a run is many elements, or one is asked for.
  void for_runs(std::uint64_t k, FunctionRef<bool(Run const&)> f) const { runs_.for_each_run(k, f); }

  Piece piece(std::uint64_t i, Neighbours& neighbours) const {
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

  Extents chunk_shape_, steps_;
  std::span<PlacedChunk const> listed_{};  // none: the plan is of a selection
  Extents shape_{};                        // of the array, with a list
  detail::TouchedGrid grid_;
  detail::TouchedRuns runs_;
  std::uint64_t size_ = 0, elements_ = 1;
  bool is_scattered_ = false;
};

namespace detail {

/// For functions that take a selection or the plan of one.
inline Plan planned(ResolvedSelection const& selected, Extents const& chunk_shape, Extents const& group,
                    Repeats repeats = Repeats::all) {
  return Plan{selected, chunk_shape, group, repeats};
}
inline Plan const& planned(Plan const& plan, Extents const&, Extents const&, Repeats = Repeats::all) { return plan; }

}  // namespace detail

}}  // namespace tessera::v0
