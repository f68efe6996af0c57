#pragma once
#include <tessera/codec/detail/json_number.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/decimal.hpp>
#include <tessera/core/object_reader.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL JsonNumber JsonNumber::from(MemberValue const& found) {
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

TESSERA_DECL bool JsonNumber::fits(DataType type) const {
  if (!is_integer) return false;
  bool const is_signed = type.kind == DataKind::signed_integer;
  auto const bits = 8 * type.size - is_signed;
  auto const size = is_negative ? ~integer : integer;  // negative ones counted from -1
  return (is_signed || !is_negative || integer == 0) && (bits == 64 || size >> bits == 0);
}

}}}  // namespace tessera::v0::detail
