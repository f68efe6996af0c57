// A number of a configuration, as its document writes it and as arithmetic takes it.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <tessera/core/data_type.hpp>
#include <tessera/core/decimal.hpp>
#include <tessera/core/reader.hpp>
#include <tessera/core/value.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// An integer is written without fraction and exponent, as elsewhere in a document, and to Python it is another number
/// than 1.0: of integers it makes integers.
struct JsonNumber {
  Value given = Value::integer(0);
  double number = 0;          ///< the nearest
  std::uint64_t integer = 0;  ///< modulo 2^64
  bool is_integer = true, is_negative = false;

  /// Throws: MetadataError naming the member, if it is no number, or an integer of more than 64 bits.
  [[gnu::cold]] static JsonNumber from(MemberValue const& found) {
    constexpr std::string_view expected = "a number; integers of at most 64 bits";
    JsonNumber result{.given = found.value()};
    auto const* const text = found.value().get_if<Number>();
    auto const* const word = found.value().get_if<std::string>();
    if (word && (*word == "NaN" || *word == "Infinity" || *word == "-Infinity")) {
      result.is_integer = false;
      result.is_negative = (*word)[0] == '-';
      result.number = *word == "NaN" ? std::nan("") : result.is_negative ? -HUGE_VAL : HUGE_VAL;
      return result;
    }
    if (!text) found.refuse(expected);
    result.number = found.value().as<double>();
    result.is_negative = text->text.starts_with('-');
    result.is_integer = text->text.find_first_of(".eEnN") == std::string::npos;
    if (!result.is_integer) return result;
    if (std::int64_t negative = 0; result.is_negative && parse_integer(text->text, negative))
      result.integer = static_cast<std::uint64_t>(negative);
    else if (result.is_negative || !parse_integer(text->text, result.integer))
      found.refuse(expected);
    return result;
  }

  /// Whether it is an integer that such elements may be: of 8 to 64 bits.
  bool fits(DataType type) const {
    if (!is_integer) return false;
    bool const is_signed = type.kind == DataKind::signed_integer;
    auto const bits = 8 * type.size - is_signed;
    auto const size = is_negative ? ~integer : integer;  // of negative ones, from -1 on
    return (is_signed || !is_negative || integer == 0) && (bits == 64 || size >> bits == 0);
  }
};

}}}  // namespace tessera::v0::detail
