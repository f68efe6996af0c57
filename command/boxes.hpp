// An array in parts that fit into memory, each of whole chunks, so that no chunk is written twice.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tessera/core/dimensions.hpp>
#include <tessera/view/box.hpp>

namespace cli {

/// The shape of the parts, grown from one chunk. Requires: one chunk is a possible size of memory.
class BoxShape {
 public:
  BoxShape(tessera::Extents const& shape, tessera::Extents const& chunk_shape, std::uint64_t item_size,
           std::uint64_t budget)
      : shape_{shape}, size_{item_size}, budget_{budget} {
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      box_.push_back(std::min(chunk_shape[d], std::max<std::uint64_t>(shape[d], 1)));
      size_ *= box_[d];
    }
  }

  tessera::Extents const& shape() const { return box_; }
  std::uint64_t size() const { return size_; }  ///< bytes

  /// Makes the box `factor` times as long along a dimension, but not longer than the array. False: it is that long
  /// already, or would be larger than the budget.
  bool grow(std::size_t d, std::uint64_t factor) {
    if (factor < 2 || box_[d] >= shape_[d]) return false;
    auto const wanted = factor > shape_[d] / box_[d] ? shape_[d] : box_[d] * factor;
    if (wanted > budget_ / (size_ / box_[d])) return false;
    size_ = size_ / box_[d] * wanted;
    box_[d] = wanted;
    return true;
  }
  /// As far as the budget allows.
  void grow(std::size_t d) {
    if (!grow(d, ~std::uint64_t{0})) grow(d, budget_ / size_);
  }

 private:
  tessera::Extents shape_, box_{};
  std::uint64_t size_, budget_;
};

/// Calls f with the regions that boxes of this shape make of an array, in C order.
template <class F>
void each_box(tessera::Extents const& shape, tessera::Extents const& box, F&& f) {
  auto const rank = shape.rank();
  for (auto n : shape)
    if (n == 0) return;
  tessera::Region region{tessera::Extents::filled(rank, 0), box, tessera::Extents::filled(rank, 1)};
  for (;;) {
    for (std::size_t d = 0; d < rank; ++d) region.count[d] = std::min(box[d], shape[d] - region.first[d]);
    f(std::as_const(region));
    auto d = rank;
    for (; d > 0; --d) {
      region.first[d - 1] += region.count[d - 1];
      if (region.first[d - 1] < shape[d - 1]) break;
      region.first[d - 1] = 0;
    }
    if (d == 0) return;
  }
}

}  // namespace cli
