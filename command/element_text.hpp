// Elements as text for people and for programs: 1, 0.1, nan, true, 1.5-2j, 1999-12-31T23:59, 0a0b0c for raw bytes.
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/printable.hpp>
#include <tessera/metadata/detail/fill_value.hpp>
#include <tessera/metadata/json.hpp>

#include "element.hpp"
#include "quoted_text.hpp"
#include "time_text.hpp"

namespace cli {
namespace detail {

// The shortest that reads back as the same number, without an exponent if that is equally short.
template <class F>
std::string real_text(F number, double most) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  auto const magnitude = std::fabs(static_cast<double>(number));
  auto const format = magnitude == 0 || (magnitude >= 1e-4 && magnitude < most) ? std::chars_format::fixed
                                                                                : std::chars_format::scientific;
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, number, format).ptr};
}

// The fewest digits that read back as the same half.
inline std::string half_text(std::uint16_t bits) {
  auto const number = half_to_float(bits);
  if (!std::isfinite(number)) return real_text(number, 0);
  for (int digits = 1; digits < 6; ++digits) {
    char text[32];
    auto const* end = std::to_chars(text, text + sizeof text, number, std::chars_format::general, digits).ptr;
    float shorter = 0;
    std::from_chars(text, end, shorter);
    auto const step = std::ldexp(1.0f, std::max(std::ilogb(number == 0 ? 1.0f : number), -14) - 10);  // between halves
    bool const is_power = (bits & 0x3ff) == 0;  // a power of two: those below it lie closer
    if (std::fabs(shorter - number) < step / (is_power ? 4 : 2)) return real_text(shorter, 1e5);
  }
  return real_text(number, 1e5);
}

template <class T>
T element_at(std::byte const* at) {
  T element;
  std::memcpy(&element, at, sizeof element);
  return element;
}

inline std::string real_text(std::byte const* at, std::size_t size, tessera::NumberFormat format) {
  if (format != tessera::NumberFormat::usual) {
    tessera::detail::FloatingType const type{static_cast<std::uint32_t>(size), format};
    return real_text(type.value(type.bits({at, size})).value_or(std::nan("")), 1e16);
  }
  if (size == 2) return half_text(element_at<std::uint16_t>(at));
  if (size == 4) return real_text(element_at<float>(at), 1e7);
  return real_text(element_at<double>(at), 1e16);
}

inline std::string integer_text(std::byte const* at, tessera::DataType type) {
  if (type.format != tessera::NumberFormat::usual)
    return tessera::to_json(tessera::detail::write_integer({at, type.size}, type));
  bool const is_signed = type.kind == tessera::DataKind::signed_integer;
  switch (type.size) {
    case 1:
      return is_signed ? std::to_string(element_at<std::int8_t>(at)) : std::to_string(element_at<std::uint8_t>(at));
    case 2:
      return is_signed ? std::to_string(element_at<std::int16_t>(at)) : std::to_string(element_at<std::uint16_t>(at));
    case 4:
      return is_signed ? std::to_string(element_at<std::int32_t>(at)) : std::to_string(element_at<std::uint32_t>(at));
    default:
      return is_signed ? std::to_string(element_at<std::int64_t>(at)) : std::to_string(element_at<std::uint64_t>(at));
  }
}

}  // namespace detail

/// The reader of the text: `rows` are for programs that read lines, with text in quotes as in JSON, and no other spaces
/// and commas; `numpy` is for people, as NumPy prints times, text and structs.
enum class Style { rows, numpy };

/// The element at that address, in the machine's byte order. `fields`: of a struct.
inline std::string element_text(std::byte const* at, tessera::DataType type,
                                std::span<tessera::Field const> fields = {}, Style style = Style::rows) {
  bool const numpy = style == Style::numpy;
  auto const without_zeros = [&](std::size_t unit) {
    std::string_view text{reinterpret_cast<char const*>(at), type.size};
    while (text.size() >= unit && text.substr(text.size() - unit).find_first_not_of('\0') == text.npos)
      text.remove_suffix(unit);
    return text;
  };
  switch (type.kind) {
    case tessera::DataKind::boolean:
      return *at == std::byte{0} ? "false" : "true";
    case tessera::DataKind::signed_integer:
    case tessera::DataKind::unsigned_integer:
      return detail::integer_text(at, type);
    case tessera::DataKind::floating:
      return detail::real_text(at, type.size, type.format);
    case tessera::DataKind::complex: {
      auto const imaginary = detail::real_text(at + type.size / 2, type.size / 2, type.format);
      return detail::real_text(at, type.size / 2, type.format) + (imaginary.starts_with('-') ? "" : "+") + imaginary +
             'j';
    }
    case tessera::DataKind::datetime:
    case tessera::DataKind::timedelta: {
      auto const count = detail::element_at<std::int64_t>(at);
      if (count == std::numeric_limits<std::int64_t>::min()) return numpy ? "'NaT'" : "NaT";
      if (type.kind == tessera::DataKind::timedelta) return std::to_string(count);
      auto const moment = moment_text(count, type.scale, type.unit);
      return numpy ? '\'' + moment + '\'' : moment;
    }
    case tessera::DataKind::utf32:
      if (numpy) return quoted_code_points(without_zeros(4));
      return tessera::to_json(tessera::write_fill_value({at, type.size}, type));
    case tessera::DataKind::null_terminated: {
      auto const text = without_zeros(1);
      if (numpy) return quoted_bytes(text);
      return tessera::printable(std::string{'"'} + std::string{text} + '"');
    }
    case tessera::DataKind::structure: {
      std::string result = numpy ? "(" : "{";
      std::size_t count = 0;
      for (auto const& field : fields)
        if (!field.name.empty())
          result += (count++ == 0 ? ""
                     : numpy      ? ", "
                                  : ";") +
                    element_text(at + field.at, field.type, field.fields, style);
      return result + (!numpy ? "}" : count == 1 ? ",)" : ")");
    }
    case tessera::DataKind::raw:
    case tessera::DataKind::string:
    case tessera::DataKind::bytes:
      break;
  }
  std::string digits;
  for (std::size_t i = 0; i < type.size; ++i)
    for (auto shift : {4, 0}) digits += "0123456789abcdef"[std::to_integer<unsigned>(at[i]) >> shift & 0xf];
  return digits;
}

}  // namespace cli
