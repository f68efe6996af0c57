// Plan: which chunks a region touches, and which part of each. Nothing is allocated: the i-th piece follows from i.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

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

class Plan {
 public:
  Plan(Region const& region, Extents const& chunk_shape) : region_{region}, chunk_shape_{chunk_shape} {
    for (std::size_t d = 0; d < chunk_shape.rank(); ++d) {
      auto const n = region.count[d];
      auto const first = region.first[d] / chunk_shape[d];
      auto const last = n == 0 ? first : (region.first[d] + (n - 1) * region.step[d]) / chunk_shape[d];
      first_.push_back(first);
      count_.push_back(n == 0 ? 0 : last - first + 1);
    }
    size_ = element_count(count_, "the number of chunks");
  }

  /// How many chunks the region spans.
  std::uint64_t size() const { return size_; }

  /// The i-th of them, in C order. nullopt: the region's steps pass over it.
  std::optional<Piece> piece(std::uint64_t i) const {
    auto const rank = chunk_shape_.rank();
    Piece piece{first_, first_, region_.step, first_, first_};
    for (std::size_t d = rank; d-- > 0; i /= count_[d]) {
      piece.chunk[d] = first_[d] + i % count_[d];
      auto const begin = piece.chunk[d] * chunk_shape_[d], length = chunk_shape_[d];
      auto const first = region_.first[d], step = region_.step[d];
      // The selected indices are first + k * step; those of this chunk have k from `from` on.
      auto const from = begin <= first ? 0 : (begin - first - 1) / step + 1;
      auto const at = first + from * step - begin;
      if (at >= length || from >= region_.count[d]) return std::nullopt;
      piece.first[d] = at;
      piece.count[d] = std::min(region_.count[d] - from, (length - at - 1) / step + 1);
      piece.target[d] = from;
    }
    return piece;
  }

 private:
  Region region_;
  Extents chunk_shape_, first_, count_;
  std::uint64_t size_ = 0;
};

}  // namespace tessera::inline v0
