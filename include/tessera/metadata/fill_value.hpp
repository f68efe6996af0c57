// The fill value of an array, as bytes (core specification, "Fill value"; data-types). Numbers go from their decimal
// text straight to the type, never through double.
#pragma once
#include <algorithm>
#include <bit>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/reader.hpp>

namespace tessera::inline v0 {
namespace detail {

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// The power of ten of a decimal number's first digit that is not 0: how large it is, where no type can hold it.
inline long long leading_power(std::string_view text) {
  auto const exponent = std::min(text.find_first_of("eE"), text.size());
  auto const digits = text.substr(0, exponent);
  auto const point = static_cast<long long>(std::min(digits.find('.'), digits.size()));
  auto const first = static_cast<long long>(std::min(digits.find_first_of("123456789"), digits.size()));
  auto const power = first < point ? point - first - 1 : point - first;
  if (exponent == text.size()) return power;
  auto const* from = text.data() + exponent + (text[exponent + 1] == '+' ? 2 : 1);
  long long by = 0;
  if (std::from_chars(from, text.data() + text.size(), by).ec != std::errc{} || by < -(1ll << 40) || by > 1ll << 40)
    return *from == '-' ? -1 : 1;  // beyond what any number of digits makes up for
  return power + by;
}

template <std::floating_point T, std::unsigned_integral Bits>
std::vector<std::byte> floating_fill(Found const& found) {
  static_assert(sizeof(T) == sizeof(Bits));
  auto const expected =
      "a number, \"NaN\", \"Infinity\", \"-Infinity\" or \"0x\" with " + std::to_string(2 * sizeof(T)) + " digits";
  if (auto* number = found.value().get_if<Number>()) {
    T value{};
    auto const* end = number->text.data() + number->text.size();
    auto const [stop, error] = std::from_chars(number->text.data(), end, value);
    if (error == std::errc{} && stop == end) return bytes_of(value);
    if (error == std::errc::result_out_of_range && leading_power(number->text) < 0)
      return bytes_of(number->text.starts_with('-') ? -T{0} : T{0});
    found.refuse("a number that " + data_type_of<T>().name() + " can hold");
  }
  auto* text = found.value().get_if<std::string>();
  if (!text) found.refuse(expected);
  constexpr auto infinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  if (*text == "Infinity") return bytes_of(infinity);
  if (*text == "-Infinity") return bytes_of(std::bit_cast<Bits>(-std::numeric_limits<T>::infinity()));
  // One particular NaN: sign clear, the mantissa's first bit set, the others clear.
  if (*text == "NaN") return bytes_of(static_cast<Bits>(infinity | Bits{1} << (std::numeric_limits<T>::digits - 2)));
  if (text->starts_with("0x") && text->size() == 2 + 2 * sizeof(T)) {
    Bits bits{};
    auto const* end = text->data() + text->size();
    if (auto const [stop, error] = std::from_chars(text->data() + 2, end, bits, 16);
        error == std::errc{} && stop == end)
      return bytes_of(bits);
  }
  found.refuse(expected);
}

}  // namespace detail

/// One element in the machine's own byte order. Throws: MetadataError.
inline std::vector<std::byte> fill_value(Found const& found, DataType type) {
  switch (type.kind) {
    case DataKind::boolean:
      return detail::bytes_of(found.boolean());
    case DataKind::signed_integer:
      if (type.size == 1) return detail::bytes_of(found.integer<std::int8_t>());
      if (type.size == 2) return detail::bytes_of(found.integer<std::int16_t>());
      if (type.size == 4) return detail::bytes_of(found.integer<std::int32_t>());
      return detail::bytes_of(found.integer<std::int64_t>());
    case DataKind::unsigned_integer:
      if (type.size == 1) return detail::bytes_of(found.integer<std::uint8_t>());
      if (type.size == 2) return detail::bytes_of(found.integer<std::uint16_t>());
      if (type.size == 4) return detail::bytes_of(found.integer<std::uint32_t>());
      return detail::bytes_of(found.integer<std::uint64_t>());
    case DataKind::floating:
      if (type.size == 4) return detail::floating_fill<float, std::uint32_t>(found);
      return detail::floating_fill<double, std::uint64_t>(found);
  }
  found.refuse("a value of " + type.name());
}

}  // namespace tessera::inline v0
