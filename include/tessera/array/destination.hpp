// What an array can be read into, and what is said where it cannot.
#pragma once
#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>

#include <tessera/array/read.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/view/array_view.hpp>

namespace tessera::inline v0 {
namespace detail {

template <class To>
inline constexpr bool is_array_view = false;
template <class T, std::size_t Rank, class Space>
inline constexpr bool is_array_view<ArrayView<T, Rank, Space>> = true;

// What can be read into; the space of its memory and the type of its elements.
template <class To>
struct destination {
  static constexpr bool is_one = false;
};
template <class T, std::size_t Rank, class Space>
struct destination<ArrayView<T, Rank, Space>> {
  static constexpr bool is_one = true;
  static constexpr std::size_t rank = Rank;
  using space = Space;
  using element = T;
};
template <std::ranges::contiguous_range R>
requires std::ranges::sized_range<R>
struct destination<R> {
  static constexpr bool is_one = true;
  static constexpr std::size_t rank = ~std::size_t{0};  // any: it has no shape
  using space = tessera::space::Host;
  using element = std::remove_reference_t<std::ranges::range_reference_t<R>>;
};

// What Array::read takes, so as to say what is wrong with it.
template <class To>
concept DestinationOrMistake = !std::same_as<std::remove_cvref_t<To>, ReadOptions>;

// One message for each way in which a destination does not fit.
template <class T, std::size_t Rank, class Space, class To>
consteval bool check_destination() {
  using D = destination<
      std::conditional_t<is_array_view<std::remove_cvref_t<To>>, std::remove_cvref_t<To>, std::remove_reference_t<To>>>;
  if constexpr (!D::is_one) {
    static_assert(
        D::is_one,
        "tessera: this cannot be read into: give an ArrayView<T, Rank, space>, or contiguous memory of the host "
        "such as a std::vector<T>");
    return false;
  } else if constexpr (!std::same_as<typename D::space, Space>) {
    static_assert(std::same_as<typename D::space, Space>,
                  "tessera: this array is read into another memory space than the destination is in; open it with a "
                  "pipeline that begins in the destination's space, e.g. Pipeline<space::Host, ...>");
    return false;
  } else if constexpr (std::is_const_v<typename D::element>) {
    static_assert(!std::is_const_v<typename D::element>,
                  "tessera: the destination's elements are const: give memory that can be written");
    return false;
  } else if constexpr (!std::same_as<typename D::element, T>) {
    static_assert(std::same_as<typename D::element, T>,
                  "tessera: the destination's elements are of another type than the array's; give memory of the type "
                  "that open_array<T, ...> names");
    return false;
  } else {
    constexpr bool fits = D::rank == Rank || D::rank == ~std::size_t{0};
    static_assert(
        fits,
        "tessera: the destination has another number of dimensions than the array; give an ArrayView of as many "
        "as open_array<T, Rank> names");
    return fits;
  }
}

}  // namespace detail
}  // namespace tessera::inline v0
