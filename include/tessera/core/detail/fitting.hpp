// element_of: a number of the program as an element of another type.
#pragma once
#include <concepts>
#include <limits>
#include <string>
#include <type_traits>

#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/decimal.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A number that C++ would silently convert to T.
template <class V, class T>
concept OtherNumber = std::is_arithmetic_v<V> && !std::same_as<V, T> && std::convertible_to<V, T>;

// The number type of a number: for a complex number, that of its parts.
template <class T>
struct part_of : std::type_identity<T> {};
template <class T>
requires requires(T const& z) { z.real(), z.imag(); }
struct part_of<T> : std::type_identity<typename T::value_type> {};

// Whether T represents the number exactly or, if T has fractions, rounds it to a finite number.
template <class T, class V>
constexpr bool fits_as(V value) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::integral<T> && std::integral<V>) {
    auto const same = static_cast<T>(value);
    if (static_cast<V>(same) != value)
      return false;
    if constexpr (std::is_signed_v<T> == std::is_signed_v<V>)
      return true;
    else if constexpr (std::is_signed_v<V>)
      return value >= V{};
    else
      return same >= T{};
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
        to_text({"found the value ", shown, ", which does not fit in ", data_type_of<T>().name(),
                 std::floating_point<V> && std::integral<T> ? ": not whole, or out of range" : ": out of range"})};
  }
  return static_cast<Part>(value);
}

}}}  // namespace tessera::v0::detail
