// Decimal text to and from half precision, which the standard library does not know: the nearest value of the type
// itself, ties to even (data-types, "Fill values"). core/decimal.hpp has the other types.
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/core/decimal.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// The digits of a number without leading and trailing zeros, and where its decimal point is.
struct Digits {
  std::string digits;
  long point = 0;

  explicit Digits(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    auto const e = text.find_first_of("eE");
    if (e != text.npos) point = std::strtol(std::string{text.substr(e + 1)}.c_str(), nullptr, 10);
    auto const mantissa = text.substr(0, e);
    auto const dot = std::min(mantissa.find('.'), mantissa.size());
    point += static_cast<long>(dot);
    for (char c : mantissa)
      if (c != '.') digits += c;
    auto const zeros = std::min(digits.find_first_not_of('0'), digits.size());
    digits.erase(0, zeros);
    point -= static_cast<long>(zeros);
    digits.erase(digits.find_last_not_of('0') + 1);
  }
  // As numbers between 0.1 and 1, scaled by 10^point.
  friend bool operator<(Digits const& a, Digits const& b) {
    return a.point != b.point ? a.point < b.point : a.digits < b.digits;
  }
};

// Half precision: the double nearest to the text is rounded again, which goes wrong only where that double lies exactly
// between two halves and the text does not. Then the text itself decides.
inline std::uint16_t parse_half(std::string const& text) {
  auto const value = parse_decimal<double>(text);
  auto const magnitude = std::fabs(value);
  auto const sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return 0x7e00;
  if (magnitude == 0) return sign;
  if (magnitude >= 65536.0) return sign | 0x7c00;
  int exponent = 0;
  std::frexp(magnitude, &exponent);                                 // magnitude = m * 2^exponent, 0.5 <= m < 1
  auto const unit = std::ldexp(1.0, std::max(exponent, -13) - 11);  // between neighbouring halves
  auto const units = magnitude / unit;                              // exact
  auto whole = static_cast<std::uint32_t>(units);
  auto const rest = units - whole;
  bool up = rest > 0.5;
  if (rest == 0.5) {
    char exact[64];
    auto const end = std::to_chars(exact, exact + sizeof exact, magnitude, std::chars_format::scientific, 50).ptr;
    Digits const tie{std::string_view{exact, static_cast<std::size_t>(end - exact)}}, given{text};
    up = tie < given || (!(given < tie) && whole % 2 == 1);
  }
  whole += up;
  // Eleven bits with the leading one, above the exponent of the smallest normal number: a carry moves into the
  // exponent.
  auto const biased = static_cast<std::uint32_t>(std::max(exponent, -13) + 13);
  return static_cast<std::uint16_t>(sign | (biased * 1024 + whole));
}

inline double half_to_double(std::uint16_t bits) {
  int const exponent = bits >> 10 & 0x1f;
  double const mantissa = bits & 0x3ff;
  auto const magnitude = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

}  // namespace detail
}}  // namespace tessera::v0
