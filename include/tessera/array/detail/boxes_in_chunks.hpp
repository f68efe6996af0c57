// BoxesInChunks: the chunks that the boxes of one call touch, each once, and the boxes that want elements of each.
// PaddedAxis: which elements of an array the indices of a box are, along one padded dimension.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/array/detail/box_turns.hpp>
#include <tessera/array/detail/orientation.hpp>
#include <tessera/array/detail/padding.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/chunk_edges.hpp>
#include <tessera/plan/detail/piece.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Consecutive indices of a box along one dimension: index `target + i` is element `first + i * direction * step` of
/// the array, where `step` is that of the box.
struct AxisRun {
  std::uint64_t target, count, first;
  int direction;  ///< -1: mirrored; 0: one element is repeated; a single index has 1
};

struct PaddedAxis {
  std::uint64_t length, before;  ///< elements of the array, and of the padding ahead of it
  PaddingMode mode;

  PaddedAxis(std::uint64_t elements, std::uint64_t ahead, PaddingMode how)
      : length{elements}, before{ahead}, mode{how == PaddingMode::reflect && elements == 1 ? PaddingMode::edge : how} {}

  /// The indices of a box in the array itself, if there are any, else an empty run.
  AxisRun inside(Steps const& box) const {
    AxisRun found{0, 0, 0, 1};
    add(box, before, before + length, [&](AxisRun run, std::uint64_t at) {
      found = run;
      found.first = at - before;
    });
    return found;
  }

  /// Calls f(AxisRun) for the indices of a box, in the padded array, that are elements [begin, end) of the array.
  /// Requires: begin < end <= length.
  template <class F>
  void for_each_run(Steps const& box, std::uint64_t begin, std::uint64_t end, F&& f) const {
    add(box, before + begin, before + end, [&](AxisRun run, std::uint64_t at) {
      run.first = at - before;
      f(run);
    });
    if (box.count == 0 || mode == PaddingMode::constant) return;
    auto const last = box.first + (box.count - 1) * box.step;
    if (box.first < before) {
      if (mode == PaddingMode::reflect)
        reflect<true>(box, before - std::min(last, before - 1), before - box.first, begin, end, f);
      else if (begin == 0)
        repeat(box, 0, before, 0, f);
    }
    if (last >= before + length) {
      if (auto const stop = before + length; mode == PaddingMode::reflect)
        reflect<false>(box, std::max(box.first, stop) - stop + 1, last - stop + 1, length - end, length - begin, f);
      else if (end == length)
        repeat(box, stop, last + 1, length - 1, f);
    }
  }

 private:
  // Calls f(run, at) for the indices of the box in [begin, end) of the padded array, of which `at` is the first one.
  template <class F>
  static void add(Steps const& box, std::uint64_t begin, std::uint64_t end, F&& f) {
    auto const [first, count, step] = box;
    auto const ahead = first < begin ? (begin - first - 1) / step + 1 : 0;
    auto const below = first < end ? std::min(count, (end - first - 1) / step + 1) : 0;
    if (ahead < below) f(AxisRun{ahead, below - ahead, 0, 1}, first + ahead * step);
  }

  template <class F>
  static void repeat(Steps const& box, std::uint64_t begin, std::uint64_t end, std::uint64_t element, F&& f) {
    add(box, begin, end, [&](AxisRun run, std::uint64_t) {
      run.first = element;
      run.direction = run.count > 1 ? 0 : 1;
      f(run);
    });
  }

  // On one side of the array, at the distances [nearest, farthest] from its outermost element there, for the elements
  // at the distances [begin, end) from that one. Going outwards, the axis runs from this element to the opposite one,
  // then back, and so on: fold j has the distances from (j - 1) * m + 1 to j * m.
  template <bool is_ahead, class F>
  void reflect(Steps const& box, std::uint64_t nearest, std::uint64_t farthest, std::uint64_t begin, std::uint64_t end,
               F&& f) const {
    auto const m = length - 1;
    if (box.step > m) return reflect_each<is_ahead>(box, nearest, farthest, begin, end, f);
    for (auto fold = (nearest - 1) / m + 1; fold <= (farthest - 1) / m + 1; ++fold) {
      bool const is_inwards = fold % 2 == 1;  // going outwards in the padding is going inwards in the array
      auto const from = is_inwards ? std::max<std::uint64_t>(begin, 1) : begin,
                 to = is_inwards ? end : std::min(end, m);
      if (from >= to) continue;
      auto const nearer = std::max(nearest, is_inwards ? (fold - 1) * m + from : fold * m - to + 1);
      auto const farther = std::min(farthest, is_inwards ? (fold - 1) * m + to - 1 : fold * m - from);
      if (nearer > farther) continue;
      auto const low = is_ahead ? before - farther : before + m + nearer;
      auto const high = is_ahead ? before - nearer : before + m + farther;
      add(box, low, high + 1, [&](AxisRun run, std::uint64_t at) {
        auto const distance = is_ahead ? before - at : at - before - m;
        auto const in_array = is_inwards ? distance - (fold - 1) * m : fold * m - distance;
        run.first = is_ahead ? in_array : m - in_array;
        run.direction = is_inwards && run.count > 1 ? -1 : 1;
        f(run);
      });
    }
  }

  // The same index by index: between two of them there may be any number of folds.
  template <bool is_ahead, class F>
  void reflect_each(Steps const& box, std::uint64_t nearest, std::uint64_t farthest, std::uint64_t begin,
                    std::uint64_t end, F&& f) const {
    auto const m = length - 1;
    auto const low = is_ahead ? before - farthest : before + m + nearest;
    auto const high = is_ahead ? before - nearest : before + m + farthest;
    add(box, low, high + 1, [&](AxisRun const& run, std::uint64_t first) {
      for (std::uint64_t i = 0; i < run.count; ++i) {
        auto const at = first + i * box.step, distance = is_ahead ? before - at : at - before - m;
        auto const back = (distance - 1) % (2 * m) + 1;  // within the first two folds
        auto const in_array = back <= m ? back : 2 * m - back;
        if (in_array >= begin && in_array < end)
          f(AxisRun{run.target + i, 1, is_ahead ? in_array : m - in_array, 1});
      }
    });
  }
};

/// Elements of an array in one chunk, and the first byte of each that is meant.
struct ChunkWindow {
  std::size_t chunk;   ///< its number in the list
  Extents first;       ///< element, in the array
  std::uint64_t byte;  ///< of an element: its components may be placed one after the other
};

/// The elements of a box in a window of the array: for each dimension runs of its indices, of which every combination
/// is a part of the box.
class BoxRuns {
 public:
  void clear() { runs_.clear(), begin_.assign(1, 0); }
  void add(AxisRun const& run) { runs_.push_back(run); }
  void end_axis() { begin_.push_back(runs_.size()); }

  std::size_t rank() const { return begin_.size() - 1; }
  std::span<AxisRun const> along(std::size_t d) const {
    return std::span{runs_}.subspan(begin_[d], begin_[d + 1] - begin_[d]);
  }
  /// Calls f(at) for each combination: that of the runs along(d)[at[d]].
  template <class F>
  void for_each_part(F&& f) const {
    for (std::size_t d = 0; d < rank(); ++d)
      if (along(d).empty()) return;
    for (auto at = Extents::filled(rank(), 0);;) {
      f(at);
      auto d = rank();
      while (d > 0 && ++at[d - 1] == along(d - 1).size()) at[--d] = 0;
      if (d == 0) return;
    }
  }
  std::uint64_t held() const { return runs_.capacity() * sizeof(AxisRun) + begin_.capacity() * sizeof(std::size_t); }

 private:
  std::vector<AxisRun> runs_{};
  std::vector<std::size_t> begin_{};  // of each dimension
};

/// A queue keeps one for reuse: calls after the first ones allocate nothing. The chunks are listed for
/// AnyArray::read_listed as if they were read to consecutive places of one memory, which does not exist: a placer finds
/// the chunk, and in it the element, by the place to which it is asked to write.
class BoxesInChunks {
 public:
  BoxesInChunks() = default;
  BoxesInChunks(BoxesInChunks const&) = delete;

  /// Replaces what was there. The boxes are those of the array with its padding. Throws: SelectionError naming the box,
  /// if it reaches beyond that, has an orientation that is none, or, if `have_one_shape`, has another shape in memory
  /// than the first; as Padding::padded.
  void resolve(BoxList const& boxes, Extents const& shape, Padding const& padding, bool have_one_shape = true);
  /// Then finds their chunks. Those of one group, of group[d] chunks along dimension d, are consecutive. `axes`: of a
  /// rectilinear grid, whose longest chunks have the shape `chunk_shape`; otherwise empty.
  void find_chunks(Extents const& chunk_shape, Extents const& group, std::size_t item_size,
                   std::vector<ChunkAxis> const& axes = {});

  /// The number of boxes, and the shape in memory of the first; without boxes zeros.
  Extents shape_of_all() const;
  Extents shape_of(std::size_t box) const;  ///< in memory
  std::size_t size() const { return boxes_.size(); }
  std::uint64_t elements() const;  ///< of all boxes
  BoxTurns const& turns() const { return turns_; }
  /// The first in memory of `count` indices of a box along a dimension, from `first` on.
  std::uint64_t first_in_memory(std::size_t box, std::size_t d, std::uint64_t first, std::uint64_t count) const {
    return turns_.is_flipped(box, d) ? boxes_[box].count[d] - first - count : first;
  }
  std::span<PlacedChunk const> chunks() const { return chunks_; }
  Strides const& strides() const { return strides_; }  ///< of the memory, in bytes
  ChunkWindow window(std::uint64_t place) const;       ///< `place`: in that memory, in bytes

  /// The numbers of the boxes that want elements of a chunk, ascending.
  std::span<std::size_t const> wanting(std::size_t chunk) const {
    return std::span{wanting_}.subspan(begin_[chunk], begin_[chunk + 1] - begin_[chunk]);
  }
  /// Wants all of a chunk, not only what the boxes want of it.
  void want_whole(std::size_t chunk);
  /// Whether boxes may have elements of the array's padding that have a value of their own.
  bool has_constant() const { return has_constant_; }
  std::size_t rank() const { return axes_.size(); }
  Extents const& shape() const { return shape_; }  ///< of the array
  /// The indices of a box along a dimension, in the padded array.
  Steps steps(std::size_t box, std::size_t d) const {
    auto const& [first, count, step] = boxes_[box];
    return {first[d], count[d], step[d]};
  }
  PaddedAxis const& axis(std::size_t d) const { return axes_[d]; }
  /// The index in the array, along dimension d, of what is at an index of a box's memory along d's dimension there.
  /// Requires: it is an element of the array, or mirrors or repeats one.
  std::uint64_t element_along(std::size_t box, std::size_t d, std::uint64_t in_memory) const;
  /// Elements between neighbouring indices of a run, in one chunk.
  std::int64_t stride(std::size_t box, std::size_t d, AxisRun const& run) const;
  /// Finds the elements of a box among `count` elements of the array from `first` on. Returns whether there are any.
  bool find_runs(std::size_t box, Extents const& first, Extents const& count, BoxRuns& found) const;

  std::uint64_t held() const;  ///< bytes

 private:
  bool have_same_shape(std::size_t a, std::size_t b) const;
  void find_touches();
  bool find_chunks_along(std::size_t box, std::size_t d);
  // The elements of a chunk that are in the array, along dimension d; and the chunk of an element.
  ChunkAxis::Placed chunk_along(std::size_t d, std::uint64_t chunk) const {
    if (!grid_.empty()) return grid_[d].chunk(chunk);
    auto const first = chunk * chunk_shape_[d];
    return {first, std::min(chunk_shape_[d], shape_[d] - first)};
  }
  std::uint64_t chunk_of(std::size_t d, std::uint64_t element) const {
    return grid_.empty() ? element / chunk_shape_[d] : grid_[d].chunk_of(element);
  }
  void sort(Extents const& group);
  void extend(Part& wanted, std::size_t box, Extents const& chunk);

  std::vector<Region> boxes_{};  // in the padded array
  BoxTurns turns_{};
  std::vector<PaddedAxis> axes_{};
  bool has_constant_ = false;
  Extents shape_{}, chunk_shape_{};
  std::vector<ChunkAxis> grid_{};  // of a rectilinear grid
  Strides strides_{};
  std::size_t item_size_ = 0;
  std::uint64_t elements_ = 0;  // of a chunk

  // The chunks that each box touches: the place of each, rank numbers, and its box; and their order.
  std::vector<std::uint64_t> places_{};
  std::vector<std::size_t> touching_{}, order_{};
  std::vector<std::vector<std::uint64_t>> along_{};  // of one box: its chunks along each dimension
  BoxRuns runs_{};                                   // of one box in one chunk

  std::vector<PlacedChunk> chunks_{};
  std::vector<Part> wanted_{};        // of each chunk: the smallest box that contains the elements of all boxes
  std::vector<std::size_t> begin_{};  // of each chunk, in wanting_
  std::vector<std::size_t> wanting_{};
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/array/detail/boxes_in_chunks.ipp>
#endif
