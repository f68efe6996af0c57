// Which elements of an array are meant.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/view/selected.hpp>

namespace tessera::inline v0 {

struct All {};
/// Every index of a dimension, or of all dimensions. A function, to be named and not called: CUDA has one of this name,
/// and only functions can share it.
inline void all(All) {}
using AllIndices = void (*)(All);

/// first, first + step, ... below stop: a slice as in NumPy, with neither negative numbers nor clipping.
struct Slice {
  std::uint64_t first = 0, stop = ~std::uint64_t{0}, step = 1;

  constexpr Slice() = default;
  constexpr Slice(AllIndices) {}
  constexpr bool is_all() const { return first == 0 && stop == Slice{}.stop && step == 1; }
  /// Throws: SelectionError, if a number is negative.
  template <std::integral A, std::integral B, std::integral C = std::uint64_t>
  constexpr Slice(A first_index, B stop_index, C step_size = 1)
      : first{natural(first_index)}, stop{natural(stop_index)}, step{natural(step_size)} {}

 private:
  template <std::integral N>
  static constexpr std::uint64_t natural(N n) {
    if (std::cmp_less(n, 0)) throw SelectionError{text({"found ", n, " in a slice; its numbers count from 0 on"})};
    return static_cast<std::uint64_t>(n);
  }
};

/// A slice per dimension: `Box{{0, 64}, all, {10, 20, 2}}`, or `all`.
class Box {
 public:
  Box(AllIndices) : everything_{true} {}
  /// `Box{all}` is everything, whatever the number of dimensions.
  Box(std::initializer_list<Slice> slices)
      : everything_{slices.size() == 1 && slices.begin()->is_all()}, slices_{slices} {}
  explicit Box(std::vector<Slice> slices) : slices_{std::move(slices)} {}

  /// Throws: SelectionError naming the dimension.
  Region resolve(Extents const& shape) const {
    if (!everything_ && slices_.size() != shape.rank())
      throw SelectionError{"a box of " + std::to_string(slices_.size()) + " slices for an array of " +
                           std::to_string(shape.rank()) + " dimensions"};
    Region region;
    for (std::size_t d = 0; d < shape.rank(); ++d) {
      auto slice = everything_ ? Slice{} : slices_[d];
      if (slice.stop == Slice{}.stop) slice.stop = shape[d];
      if (slice.step == 0 || slice.first > slice.stop || slice.stop > shape[d])
        throw SelectionError{"dimension " + std::to_string(d) + ": found " + std::to_string(slice.first) + ":" +
                             std::to_string(slice.stop) + ":" + std::to_string(slice.step) +
                             ", expected first <= stop <= " + std::to_string(shape[d]) + " and a step of at least 1"};
      region.first.push_back(slice.first);
      region.count.push_back(slice.stop == slice.first ? 0 : (slice.stop - slice.first - 1) / slice.step + 1);
      region.step.push_back(slice.step);
    }
    return region;
  }

 private:
  bool everything_ = false;
  std::vector<Slice> slices_;
};

}  // namespace tessera::inline v0
