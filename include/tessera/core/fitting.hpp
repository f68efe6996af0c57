// A number that a program gives for an element of another type.
#pragma once
#include <concepts>
#include <limits>
#include <string>
#include <type_traits>

#include <tessera/core/data_type.hpp>
#include <tessera/core/decimal.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A number that C++ would make into a T without a word.
template <class V, class T>
concept OtherNumber = std::is_arithmetic_v<V> && !std::same_as<V, T> && std::convertible_to<V, T>;

// What a number is made of: of a complex one, its parts.
template <class T>
struct part_of : std::type_identity<T> {};
template <class T>
requires requires(T const& z) { z.real(), z.imag(); }
struct part_of<T> : std::type_identity<typename T::value_type> {};

// Whether it is the same number as a T, or, where T has fractions, is rounded to one: not to infinity.
template <class T, class V>
constexpr bool fits_as(V value) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::integral<T> && std::integral<V>) {
    auto const same = static_cast<T>(value);
    return static_cast<V>(same) == value && (same < T{}) == (value < V{});
  } else if constexpr (std::integral<T>) {
    constexpr V beyond = static_cast<V>(Limits::max() / 2 + 1) * 2, lowest = std::is_signed_v<T> ? -beyond : V{};
    return value >= lowest && value < beyond && static_cast<V>(static_cast<T>(value)) == value;
  } else if constexpr (std::floating_point<T> && std::floating_point<V>) {
    constexpr auto infinity = Limits::infinity();
    auto const rounded = static_cast<T>(value);
    bool const was_infinite = value - value != 0;
    return was_infinite || (rounded != infinity && rounded != -infinity);
  } else {
    return true;
  }
}

/// Throws: SelectionError, if the number does not fit.
template <Element T, OtherNumber<T> V>
T element_of(V value) {
  using Part = typename part_of<T>::type;
  if (!fits_as<Part>(value)) {
    std::string shown;
    if constexpr (std::floating_point<V>)
      shown = shortest_decimal(value);
    else
      shown = std::to_string(value);
    throw SelectionError{
        text({"found the value ", shown, ", which is no ", data_type_of<T>().name(),
              std::floating_point<V> && std::integral<T> ? ": not whole, or out of its range" : ": out of its range"})};
  }
  return static_cast<Part>(value);
}

}}}  // namespace tessera::v0::detail
