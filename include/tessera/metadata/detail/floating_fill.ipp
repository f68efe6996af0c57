#pragma once
#include <tessera/metadata/detail/floating_fill.hpp>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <tessera/core/detail/small_float.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/metadata/detail/decimal.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::uint64_t FloatingType::sign() const {
  return is_small() ? small().sign() : std::uint64_t{1} << (8 * size - 1);
}

TESSERA_DECL std::uint64_t FloatingType::infinity() const {
  return is_small() ? small().infinity() : size == 4 ? 0x7f800000 : 0x7ff0000000000000;
}

TESSERA_DECL std::uint64_t FloatingType::nan() const {
  return is_small() ? small().nan() : size == 4 ? 0x7fc00000 : 0x7ff8000000000000;
}

TESSERA_DECL std::uint64_t FloatingType::all() const {
  if (!is_small()) return size == 4 ? 0xffffffff : ~std::uint64_t{0};
  return small().sign() == 0 ? 0xff : 2 * small().sign() - 1;
}

TESSERA_DECL std::optional<std::uint64_t> FloatingType::parse(std::string const& text) const {
  if (size == 4) return std::bit_cast<std::uint32_t>(parse_decimal<float>(text));
  if (size == 8) return std::bit_cast<std::uint64_t>(parse_decimal<double>(text));
  return parse_small(small(), text);
}

TESSERA_DECL std::optional<double> FloatingType::value(std::uint64_t bits) const {
  auto const low = static_cast<std::uint32_t>(bits);
  auto const number = size == 4             ? std::bit_cast<float>(low)
                      : size == 8           ? std::bit_cast<double>(bits)
                      : small().is_nan(low) ? std::numeric_limits<double>::quiet_NaN()
                      : small().is_infinite(low)
                          ? std::copysign(std::numeric_limits<double>::infinity(), low & small().sign() ? -1.0 : 1.0)
                          : small().value(low);
  return number == number ? std::optional<double>{number} : std::nullopt;
}

TESSERA_DECL std::vector<std::byte> FloatingType::bytes(std::uint64_t bits) const {
  auto all = bytes_of(bits);
  if constexpr (std::endian::native == std::endian::big) return {all.end() - size, all.end()};
  all.resize(size);
  return all;
}

TESSERA_DECL std::uint64_t FloatingType::bits(std::span<std::byte const> bytes) const {
  if (size == 1) return std::to_integer<std::uint64_t>(bytes[0]);
  if (size == 2) return value_of<std::uint16_t>(bytes);
  return size == 4 ? value_of<std::uint32_t>(bytes) : value_of<std::uint64_t>(bytes);
}

TESSERA_DECL std::vector<std::byte> read_floating(MemberValue const& found, FloatingType type) {
  auto const digits = 2 * std::size_t{type.size};
  if (auto* number = found.value().get_if<Number>())
    if (auto const bits = type.parse(number->text)) return type.bytes(*bits);
  if (auto* word = found.value().get_if<std::string>()) {
    if (*word == "NaN" && type.has_nan()) return type.bytes(type.nan());
    if (*word == "Infinity" && type.has_infinity()) return type.bytes(type.infinity());
    if (*word == "-Infinity" && type.has_infinity()) return type.bytes(type.sign() | type.infinity());
    if (word->starts_with("0x") && word->size() == 2 + digits) {
      std::uint64_t bits{};
      auto const* end = word->data() + word->size();
      if (auto const [stop, error] = std::from_chars(word->data() + 2, end, bits, 16);
          error == std::errc{} && stop == end && bits <= type.all())
        return type.bytes(bits);
    }
  }
  found.refuse(
      to_text({"a number", type.has_infinity() ? "" : " that the type can represent", type.has_nan() ? ", \"NaN\"" : "",
               type.has_infinity() ? ", \"Infinity\", \"-Infinity\"" : "", " or \"0x\" with ", digits, " digits"}));
}

TESSERA_DECL Value write_floating(std::span<std::byte const> bytes, FloatingType type) {
  auto const bits = type.bits(bytes);
  if (type.has_nan() && bits == type.nan()) return "NaN";
  if (type.has_infinity() && (bits & ~type.sign()) == type.infinity())
    return bits & type.sign() ? "-Infinity" : "Infinity";
  if (auto const number = type.value(bits); number && bits <= type.all())
    return Number{shortest_decimal(*number)};  // a double is exact; digits as in NumPy
  std::string digits = "0x";                   // other NaNs: their bits
  for (std::size_t i = 2 * std::size_t{type.size}; i-- > 0;) digits += "0123456789abcdef"[bits >> (4 * i) & 0xf];
  return digits;
}

}}}  // namespace tessera::v0::detail
