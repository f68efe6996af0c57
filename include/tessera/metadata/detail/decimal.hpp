// parse_small: decimal text to types of 16 bits or less, which the standard library lacks: rounds to nearest, ties to
// even (data-types, "Fill values"). core/detail/decimal.hpp has the wider types.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/small_float.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// The digits of a number without leading and trailing zeros, and its decimal point.
struct Digits {
  std::string digits;
  long point = 0;

  explicit Digits(std::string_view text);
  // Compares as numbers between 0.1 and 1, scaled by 10^point.
  friend bool operator<(Digits const& a, Digits const& b) {
    return a.point != b.point ? a.point < b.point : a.digits < b.digits;
  }
};

// Rounds the double nearest to the text again. Only if that double lies exactly between two numbers of the type does
// the text itself decide. nullopt: the type lacks the infinity, NaN or sign.
TESSERA_DECL std::optional<std::uint32_t> parse_small(SmallFloat type, std::string const& text);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/decimal.ipp>
#endif
