// Fill values that are floating-point numbers: numbers, words and bits, of every width.
#pragma once
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/reader.hpp>
#include <tessera/core/small_float.hpp>
#include <tessera/core/text.hpp>
#include <tessera/core/value.hpp>
#include <tessera/metadata/decimal.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}
template <class T>
T value_of(std::span<std::byte const> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// A floating-point type: its bits, their number, and its special values.
struct FloatingType {
  std::uint32_t size;
  NumberFormat format;

  SmallFloat small() const { return small_float(format); }
  bool is_small() const { return size <= 2; }
  std::uint64_t sign() const { return is_small() ? small().sign() : std::uint64_t{1} << (8 * size - 1); }
  std::uint64_t infinity() const {
    return is_small() ? small().infinity() : size == 4 ? 0x7f800000 : 0x7ff0000000000000;
  }
  std::uint64_t nan() const { return is_small() ? small().nan() : size == 4 ? 0x7fc00000 : 0x7ff8000000000000; }
  bool has_infinity() const { return !is_small() || small().has_infinity(); }
  bool has_nan() const { return !is_small() || small().has_nan(); }
  /// All bits that a number may have set.
  std::uint64_t all() const {
    if (!is_small()) return size == 4 ? 0xffffffff : ~std::uint64_t{0};
    return small().sign() == 0 ? 0xff : 2 * small().sign() - 1;
  }

  std::optional<std::uint64_t> parse(std::string const& text) const {
    if (size == 4) return std::bit_cast<std::uint32_t>(parse_decimal<float>(text));
    if (size == 8) return std::bit_cast<std::uint64_t>(parse_decimal<double>(text));
    return parse_small(small(), text);
  }
  /// nullopt: NaN.
  std::optional<double> value(std::uint64_t bits) const {
    auto const low = static_cast<std::uint32_t>(bits);
    auto const number = size == 4         ? std::bit_cast<float>(low)
                        : size == 8       ? std::bit_cast<double>(bits)
                        : small().is_nan(low) ? std::numeric_limits<double>::quiet_NaN()
                        : small().is_infinite(low)
                            ? std::copysign(std::numeric_limits<double>::infinity(), low & small().sign() ? -1.0 : 1.0)
                            : small().value(low);
    return number == number ? std::optional<double>{number} : std::nullopt;
  }
  // Bits lie in the low bytes: little endian, or at the end.
  std::vector<std::byte> bytes(std::uint64_t bits) const {
    auto all = bytes_of(bits);
    if constexpr (std::endian::native == std::endian::big) return {all.end() - size, all.end()};
    all.resize(size);
    return all;
  }
  std::uint64_t bits(std::span<std::byte const> bytes) const {
    if (size == 1) return std::to_integer<std::uint64_t>(bytes[0]);
    if (size == 2) return value_of<std::uint16_t>(bytes);
    return size == 4 ? value_of<std::uint32_t>(bytes) : value_of<std::uint64_t>(bytes);
  }
};

inline std::vector<std::byte> read_floating(MemberValue const& found, FloatingType type) {
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
  found.refuse(text({"a number", type.has_infinity() ? "" : " that the type has", type.has_nan() ? ", \"NaN\"" : "",
                     type.has_infinity() ? ", \"Infinity\", \"-Infinity\"" : "", " or \"0x\" with ", digits,
                     " digits"}));
}

inline Value write_floating(std::span<std::byte const> bytes, FloatingType type) {
  auto const bits = type.bits(bytes);
  if (type.has_nan() && bits == type.nan()) return "NaN";
  if (type.has_infinity() && (bits & ~type.sign()) == type.infinity())
    return bits & type.sign() ? "-Infinity" : "Infinity";
  if (auto const number = type.value(bits); number && bits <= type.all())
    return Number{shortest_decimal(*number)};  // a double holds them all: as NumPy says them
  std::string digits = "0x";                   // the only way to say another NaN
  for (std::size_t i = 2 * std::size_t{type.size}; i-- > 0;) digits += "0123456789abcdef"[bits >> (4 * i) & 0xf];
  return digits;
}

}  // namespace detail
}}  // namespace tessera::v0
