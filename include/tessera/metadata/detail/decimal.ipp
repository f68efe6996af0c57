#pragma once
#include <tessera/metadata/detail/decimal.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/decimal.hpp>
#include <tessera/core/detail/small_float.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL Digits::Digits(std::string_view text) {
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

TESSERA_DECL std::optional<std::uint32_t> parse_small(SmallFloat type, std::string const& text) {
  auto const value = parse_decimal<double>(text);
  if (std::isnan(value)) return type.has_nan() ? std::optional{type.nan()} : std::nullopt;
  auto const magnitude = std::fabs(value);
  auto const sign = std::signbit(value) ? type.sign() : 0;
  bool const is_exponent = type.special == SmallFloat::Special::exponents_alone;
  if (is_exponent && !(value > 0)) return std::nullopt;
  if (magnitude == 0) return type.special == SmallFloat::Special::negative_zero ? 0 : sign;
  if (std::isinf(magnitude)) return type.has_infinity() ? std::optional{sign | type.infinity()} : std::nullopt;
  auto const least = is_exponent ? 1 - type.bias : 2 - type.bias;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = m * 2^exponent, 0.5 <= m < 1
  auto const unit = std::ldexp(1.0, std::max(exponent, least) - type.mantissa_bits - 1);  // between neighbours
  auto const units = magnitude / unit;                                                    // exact
  auto whole = static_cast<std::uint32_t>(units);
  auto const rest = units - whole;
  // `whole` includes the leading one, and `biased` counts from the smallest normal exponent: carries move into it.
  auto const biased = static_cast<std::uint32_t>(std::max(exponent, least) - least);
  auto const below = (biased << type.mantissa_bits) + whole - (is_exponent ? 1 : 0);
  bool up = rest > 0.5;
  if (rest == 0.5) {
    char exact[64];
    auto const end = std::to_chars(exact, exact + sizeof exact, magnitude, std::chars_format::scientific, 50).ptr;
    Digits const tie{std::string_view{exact, static_cast<std::size_t>(end - exact)}}, given{text};
    up = tie < given || (!(given < tie) && below % 2 == 1);
  }
  auto bits = below + up;
  if (is_exponent && whole == 0) bits = 0;  // below the smallest number
  if (bits > type.largest()) return type.has_infinity() ? std::optional{sign | type.infinity()} : std::nullopt;
  if (bits == 0 && type.special == SmallFloat::Special::negative_zero) return 0;
  return sign | bits;
}

}}}  // namespace tessera::v0::detail
