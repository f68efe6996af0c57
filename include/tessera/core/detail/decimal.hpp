// Decimal text to and from numbers, independent of the locale.
#pragma once
#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Whether the text is an integer without fraction and exponent that T can hold.
template <class T>
bool parse_integer(std::string const& text, T& result) {
  auto const* end = text.data() + text.size();
  auto const [stop, failed] = std::from_chars(text.data(), end, result);
  return failed == std::errc{} && stop == end;
}

// Parses a JSON number, or Python's word for NaN or infinity, as the nearest T. Above the largest T the result is
// infinite, as IEEE 754 rounds.
template <class T>
T parse_decimal(std::string const& text) {
  T value{};
  auto const* end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc::result_out_of_range) return value;
  // Overflow or underflow: the position of the first digit decides.
  auto const negative = text.starts_with('-');
  auto const e = text.find_first_of("eE");
  long exponent = e == text.npos ? 0 : std::strtol(text.c_str() + e + 1, nullptr, 10);
  auto const digits = std::string_view{text}.substr(negative, e == text.npos ? text.npos : e - negative);
  auto const first = digits.find_first_of("123456789");
  auto const point = std::min(digits.find('.'), digits.size());
  bool const is_large = first != digits.npos && exponent > static_cast<long>(first) - static_cast<long>(point);
  auto const magnitude = is_large ? std::numeric_limits<T>::infinity() : T{0};
  return negative ? -magnitude : magnitude;
}

// The shortest decimal that reads back as the same bits, as Python prints it: "0.0", "100000.0", "1e-05", "NaN".
template <std::floating_point T>
std::string shortest_decimal(T value) {
  if (value != value) return "NaN";
  auto const magnitude = value < 0 ? -value : value;
  if (magnitude == std::numeric_limits<T>::infinity()) return value < 0 ? "-Infinity" : "Infinity";
  char digits[64];
  auto const print = [&](std::chars_format format) {
    return std::string{digits, std::to_chars(digits, digits + sizeof digits, value, format).ptr};
  };
  if (magnitude != 0 && (magnitude < T(1e-4) || magnitude >= T(1e16))) return print(std::chars_format::scientific);
  auto result = print(std::chars_format::fixed);
  if (result.find('.') == result.npos) result += ".0";
  return result;
}

}  // namespace detail
}}  // namespace tessera::v0
