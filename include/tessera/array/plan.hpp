// Plan: which chunks a region touches, and which part of each. Nothing is allocated: the i-th piece follows from i.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tessera/core/dimensions.hpp>
#include <tessera/view/box.hpp>

namespace tessera::inline v0 {

/// The part of one chunk that a region selects.
struct Piece {
  Extents chunk;   ///< the chunk's place in the grid
  Extents first;   ///< of the selected elements, in the chunk
  Extents step;    ///< from one to the next, in the chunk
  Extents count;   ///< how many
  Extents target;  ///< where the first goes, in the region
};

namespace detail {

/// Strides from one selected element of a chunk to the next. Where it has one of them they mean nothing; only where it
/// has more is the step known to be shorter than the chunk.
inline void take_steps(Strides& strides, Strides const& dense, Piece const& piece) {
  for (std::size_t d = 0; d < dense.rank(); ++d)
    if (piece.count[d] > 1) strides[d] = dense[d] * static_cast<std::int64_t>(piece.step[d]);
}

}  // namespace detail

class Plan {
 public:
  Plan(Region const& region, Extents const& chunk_shape) : region_{region}, chunk_shape_{chunk_shape} {
    for (std::size_t d = 0; d < chunk_shape.rank(); ++d) {
      auto const n = region.count[d];
      auto const first = region.first[d] / chunk_shape[d];
      first_.push_back(first);
      if (n == 0 || is_sparse(d))
        count_.push_back(n);
      else
        count_.push_back((region.first[d] + (n - 1) * region.step[d]) / chunk_shape[d] - first + 1);
    }
    size_ = element_count(count_, "the number of chunks");
  }

  /// How many chunks the region touches.
  std::uint64_t size() const { return size_; }

  /// The i-th of them, in C order.
  Piece piece(std::uint64_t i) const {
    Piece piece{first_, first_, region_.step, first_, first_};
    for (std::size_t d = chunk_shape_.rank(); d-- > 0; i /= count_[d]) {
      auto const length = chunk_shape_[d], first = region_.first[d], step = region_.step[d];
      // The selected indices are first + k * step; those of this chunk have k from `from` on.
      auto from = i % count_[d];
      piece.chunk[d] = is_sparse(d) ? (first + from * step) / length : first_[d] + from;
      auto const begin = piece.chunk[d] * length;
      if (!is_sparse(d)) from = begin <= first ? 0 : (begin - first - 1) / step + 1;
      piece.first[d] = first + from * step - begin;
      piece.count[d] = std::min(region_.count[d] - from, (length - piece.first[d] - 1) / step + 1);
      piece.target[d] = from;
    }
    return piece;
  }

 private:
  // No two selected indices share a chunk: chunks are counted by them, for steps may pass over any number of chunks.
  bool is_sparse(std::size_t d) const { return region_.step[d] >= chunk_shape_[d]; }

  Region region_;
  Extents chunk_shape_, first_, count_;
  std::uint64_t size_ = 0;
};

}  // namespace tessera::inline v0
