// BoxesInChunks: the chunks that the boxes of one call touch, each once, and the boxes that want elements of each.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/array/detail/padded_axis.hpp>
#include <tessera/array/padding.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/piece.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

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
  /// if it reaches beyond that, or has another shape than the first; as Padding::padded.
  void resolve(std::span<Box const> boxes, Extents const& shape, Padding const& padding);
  /// Then finds their chunks. Those of one group, of group[d] chunks along dimension d, are consecutive.
  void find_chunks(Extents const& chunk_shape, Extents const& group, std::size_t item_size);

  /// The number of boxes, and their shape; without boxes zeros.
  Extents shape_of_all() const;
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
  /// The indices of a box along a dimension, in the padded array.
  Steps steps(std::size_t box, std::size_t d) const {
    auto const& [first, count, step] = boxes_[box];
    return {first[d], count[d], step[d]};
  }
  PaddedAxis const& axis(std::size_t d) const { return axes_[d]; }
  /// Elements between neighbouring indices of a run, in one chunk.
  std::int64_t stride(std::size_t box, std::size_t d, AxisRun const& run) const;
  /// Finds the elements of a box among `count` elements of the array from `first` on. Returns whether there are any.
  bool find_runs(std::size_t box, Extents const& first, Extents const& count, BoxRuns& found) const;

  std::uint64_t held() const;  ///< bytes

 private:
  void find_touches();
  bool find_chunks_along(std::size_t box, std::size_t d);
  void sort(Extents const& group);
  void extend(Part& wanted, std::size_t box, Extents const& chunk);

  std::vector<Region> boxes_{};  // in the padded array
  std::vector<PaddedAxis> axes_{};
  bool has_constant_ = false;
  Extents shape_{}, chunk_shape_{};
  Strides strides_{};
  std::size_t item_size_ = 0;
  std::uint64_t elements_ = 0;  // of a chunk

  // The chunks that each box touches: the place of each, rank numbers, and its box; and their order.
  std::vector<std::uint64_t> places_{};
  std::vector<std::size_t> touching_{}, order_{};
  std::vector<std::vector<std::uint64_t>> along_{};  // of one box: its chunks along each dimension
  BoxRuns runs_{};                                   // of one box in one chunk

  std::vector<PlacedChunk> chunks_{};
  std::vector<Part> wanted_{};         // of each chunk: the smallest box that contains the elements of all boxes
  std::vector<std::size_t> begin_{};   // of each chunk, in wanting_
  std::vector<std::size_t> wanting_{};
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/array/detail/boxes_in_chunks.ipp>
#endif
