// Numbers of a type known at run time, converted in runs: many on the host, one in a kernel.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/float16.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_HOST_DEVICE inline bool holds_integers(DataType type) {
  return type.format == NumberFormat::usual &&
         (type.kind == DataKind::signed_integer || type.kind == DataKind::unsigned_integer);
}
/// Integers of 8 to 64 bits, float16, float and double.
TESSERA_HOST_DEVICE inline bool holds_numbers(DataType type) {
  return holds_integers(type) || (type.kind == DataKind::floating && type.format == NumberFormat::usual);
}

/// Calls f with a value of the C++ type.
template <class F>
TESSERA_HOST_DEVICE void with_integer_of(DataType type, F const& f) {
  bool const is_signed = type.kind == DataKind::signed_integer;
  switch (type.size) {
    case 1:
      return is_signed ? f(std::int8_t{}) : f(std::uint8_t{});
    case 2:
      return is_signed ? f(std::int16_t{}) : f(std::uint16_t{});
    case 4:
      return is_signed ? f(std::int32_t{}) : f(std::uint32_t{});
    default:
      return is_signed ? f(std::int64_t{}) : f(std::uint64_t{});
  }
}
/// The same for the unsigned type of `size` bytes.
template <class F>
TESSERA_HOST_DEVICE void with_bits_of(std::size_t size, F const& f) {
  return size == 1   ? f(std::uint8_t{})
         : size == 2 ? f(std::uint16_t{})
         : size == 4 ? f(std::uint32_t{})
                     : f(std::uint64_t{});
}
template <class F>
TESSERA_HOST_DEVICE void with_fraction_of(DataType type, F const& f) {
  return type.size == 2 ? f(float16{}) : type.size == 4 ? f(float{}) : f(double{});
}
template <class F>
TESSERA_HOST_DEVICE void with_number_of(DataType type, F const& f) {
  return type.kind == DataKind::floating ? with_fraction_of(type, f) : with_integer_of(type, f);
}

/// A fraction as an integer, as NumPy converts it on x86: towards zero, modulo 2^bits. NaN, and numbers too large for
/// the wider integer that NumPy converts through, become that integer's minimum.
template <std::integral To>
TESSERA_HOST_DEVICE To numpy_integer(double from) {
  using Wide = std::conditional_t<(sizeof(To) < 4) || std::is_same_v<To, std::int32_t>, std::int32_t, std::int64_t>;
  constexpr double beyond = sizeof(Wide) == 4 ? 0x1p31 : 0x1p63;
  constexpr Wide none = static_cast<Wide>(std::uint64_t{1} << (8 * sizeof(Wide) - 1));
  if constexpr (std::is_same_v<To, std::uint64_t>)
    if (from >= beyond) return from < 2 * beyond ? static_cast<To>(from) : To{0};
  return static_cast<To>(from > -beyond && from < beyond ? static_cast<Wide>(from) : none);
}

/// Integers, sign-extended.
TESSERA_HOST_DEVICE inline void load_integers(DataType type, std::byte const* from, std::size_t n, std::uint64_t* to) {
  with_integer_of(type, [&](auto one) {
    auto const* const numbers = reinterpret_cast<decltype(one) const*>(from);
    for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<std::uint64_t>(numbers[i]);
  });
}
TESSERA_HOST_DEVICE inline void load_numbers(DataType type, std::byte const* from, std::size_t n, double* to) {
  with_number_of(type, [&](auto one) {
    auto const* const numbers = reinterpret_cast<decltype(one) const*>(from);
    for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<double>(numbers[i]);
  });
}

/// Numbers in another type, as NumPy's `astype` converts them. Integers come from load_integers.
TESSERA_HOST_DEVICE inline void store_integers(std::uint64_t const* from, bool are_signed, std::size_t n, DataType type,
                                               std::byte* to) {
  if (type.kind != DataKind::floating)
    return with_bits_of(type.size, [&](auto one) {
      auto* const numbers = reinterpret_cast<decltype(one)*>(to);
      for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<decltype(one)>(from[i]);
    });
  with_fraction_of(type, [&](auto one) {
    using To = decltype(one);
    using Rounded = std::conditional_t<std::is_same_v<To, double>, double, float>;  // rounds once, not through a double
    auto* const numbers = reinterpret_cast<To*>(to);
    for (std::size_t i = 0; i < n; ++i)
      numbers[i] = static_cast<To>(are_signed ? static_cast<Rounded>(static_cast<std::int64_t>(from[i]))
                                              : static_cast<Rounded>(from[i]));
  });
}
TESSERA_HOST_DEVICE inline void store_numbers(double const* from, std::size_t n, DataType type, std::byte* to) {
  with_number_of(type, [&](auto one) {
    using To = decltype(one);
    auto* const numbers = reinterpret_cast<To*>(to);
    for (std::size_t i = 0; i < n; ++i)
      if constexpr (std::integral<To>)
        numbers[i] = numpy_integer<To>(from[i]);
      else
        numbers[i] = static_cast<To>(from[i]);
  });
}

/// A double rounded to that type: an operation in double, rounded again, equals the operation in that type.
TESSERA_HOST_DEVICE inline double rounded_as(DataType type, double number) {
  if (type.kind != DataKind::floating || type.size == 8) return number;
  return type.size == 4 ? double{static_cast<float>(number)} : double{float{float16{number}}};
}
/// To the nearest integer, ties to even; -0 stays.
TESSERA_HOST_DEVICE inline double nearest_integer(double number) {
  double const size = number < 0 ? -number : number;
  if (!(size < 0x1p52) || number == 0) return number;
  double const whole = (size + 0x1p52) - 0x1p52;
  return number < 0 ? -whole : whole;
}

}}}  // namespace tessera::v0::detail
