// Box: a slice of each dimension.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 {

/// Makes the type of `all` unique.
struct All {};
/// Every index of a dimension, or of all dimensions. A function, but never called: CUDA has a function of this name,
/// and only functions can share it.
inline void all(All) {}
/// The type of `all`, for parameters.
using AllIndices = void (*)(All);

/// The indices first, first + step, ... below stop: a slice as in NumPy, without negative numbers and clipping.
struct Slice {
  std::uint64_t first = 0, stop = ~std::uint64_t{0}, step = 1;

  constexpr Slice() = default;
  constexpr Slice(AllIndices) {}
  /// One index. Unlike in NumPy, the dimension stays, with a length of 1, because the number of dimensions is part of
  /// the type. Throws: SelectionError, if the index is negative.
  template <std::integral N>
  requires(!std::same_as<N, bool>) constexpr Slice(N index)
      : first{detail::natural(index, "a slice")}, stop{first + 1} {}
  /// Throws: SelectionError, if a number is negative.
  template <std::integral A, std::integral B, std::integral C = std::uint64_t>
  constexpr Slice(A first_index, B stop_index, C step_size = 1)
      : first{detail::natural(first_index, "a slice")},
        stop{detail::natural(stop_index, "a slice")},
        step{detail::natural(step_size, "a slice")} {}

  /// Whether it is `all`: every index of a dimension of any length.
  constexpr bool is_all() const { return first == 0 && stop == Slice{}.stop && step == 1; }
};

namespace detail {

[[noreturn]] void refuse_slice(Slice const& slice, std::size_t d, std::uint64_t length,
                                                                std::string_view what);
// The indices of a slice in dimension d. `what`: the name of what it counts, for messages.
inline Steps steps_of(Slice slice, std::size_t d, std::uint64_t length, std::string_view what = "") {
  if (slice.stop == Slice{}.stop) slice.stop = length;
  if (slice.step == 0 || slice.first > slice.stop || slice.stop > length) refuse_slice(slice, d, length, what);
  auto const indices = slice.stop - slice.first;
  return {slice.first, slice.step == 1 || indices == 0 ? indices : (indices - 1) / slice.step + 1, slice.step};
}
inline void add_slice(Region& region, Slice slice, std::uint64_t length, std::string_view what = "") {
  region.push_back(steps_of(slice, region.first.rank(), length, what));
}

}  // namespace detail

/// A slice per dimension: `Box{{0, 64}, all, {10, 20, 2}, 7}`, or `all`.
class Box {
 public:
  Box(AllIndices) : everything_{true} {}
  /// `Box{all}` is everything, for any number of dimensions.
  Box(std::initializer_list<Slice> slices)
      : everything_{slices.size() == 1 && slices.begin()->is_all()}, slices_{slices} {}
  explicit Box(std::vector<Slice> slices) : slices_{std::move(slices)} {}

  /// Throws: SelectionError naming the dimension.
  Region resolve(Extents const& shape) const { return resolve(shape, ""); }
  /// Calls f(d, steps) for each dimension. Throws: SelectionError naming the dimension.
  template <class F>
  void for_each_dimension(Extents const& shape, F&& f, std::string_view what = "") const {
    if (!everything_) detail::expect_rank("slices", slices_.size(), shape);
    for (std::size_t d = 0; d < shape.rank(); ++d)
      everything_ ? f(d, Steps{0, shape[d], 1}) : f(d, detail::steps_of(slices_[d], d, shape[d], what));
  }

 private:
  friend class Blocks;
  Region resolve(Extents const& shape, std::string_view what) const;

  bool everything_ = false;
  std::vector<Slice> slices_;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/view/detail/box.ipp>
#endif
