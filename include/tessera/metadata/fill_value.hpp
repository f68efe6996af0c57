// The fill value of an array, as bytes and as a document says it (core specification, "Fill value"; data-types).
// Numbers go from their decimal text straight to the type, never through double.
#pragma once
#include <bit>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/reader.hpp>
#include <tessera/core/text.hpp>
#include <tessera/core/with_integer.hpp>
#include <tessera/metadata/base64.hpp>
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

// A floating-point type of so many bytes: its bits, its decimal text, its value and its special values.
template <std::size_t Size>
struct floating;
template <>
struct floating<2> {
  using bits = std::uint16_t;
  static constexpr bits infinity = 0x7c00, nan = 0x7e00;
  static bits parse(std::string const& text) { return parse_half(text); }
  static double value(bits b) { return half_to_double(b); }
};
template <>
struct floating<4> {
  using bits = std::uint32_t;
  static constexpr bits infinity = 0x7f800000, nan = 0x7fc00000;
  static bits parse(std::string const& text) { return std::bit_cast<bits>(parse_decimal<float>(text)); }
  static double value(bits b) { return std::bit_cast<float>(b); }
};
template <>
struct floating<8> {
  using bits = std::uint64_t;
  static constexpr bits infinity = 0x7ff0000000000000, nan = 0x7ff8000000000000;
  static bits parse(std::string const& text) { return std::bit_cast<bits>(parse_decimal<double>(text)); }
  static double value(bits b) { return std::bit_cast<double>(b); }
};

template <std::size_t Size>
std::vector<std::byte> read_floating(MemberValue const& found) {
  using F = floating<Size>;
  using Bits = typename F::bits;
  constexpr auto sign = static_cast<Bits>(Bits{1} << (8 * Size - 1));
  if (auto* number = found.value().get_if<Number>()) return bytes_of(F::parse(number->text));
  if (auto* word = found.value().get_if<std::string>()) {
    if (*word == "NaN") return bytes_of(F::nan);
    if (*word == "Infinity") return bytes_of(F::infinity);
    if (*word == "-Infinity") return bytes_of(static_cast<Bits>(sign | F::infinity));
    if (word->starts_with("0x") && word->size() == 2 + 2 * Size) {
      Bits bits{};
      auto const* end = word->data() + word->size();
      if (auto const [stop, error] = std::from_chars(word->data() + 2, end, bits, 16);
          error == std::errc{} && stop == end)
        return bytes_of(bits);
    }
  }
  found.refuse(text({"a number, \"NaN\", \"Infinity\", \"-Infinity\" or \"0x\" with ", 2 * Size, " digits"}));
}

template <std::size_t Size>
Value write_floating(std::span<std::byte const> bytes) {
  using F = floating<Size>;
  using Bits = typename F::bits;
  auto const bits = value_of<Bits>(bytes);
  constexpr auto sign = static_cast<Bits>(Bits{1} << (8 * Size - 1));
  auto const magnitude = static_cast<Bits>(bits & ~sign);
  if (bits == F::nan) return "NaN";
  if (magnitude == F::infinity) return bits & sign ? "-Infinity" : "Infinity";
  if (magnitude < F::infinity)
    return Number{shortest_decimal(F::value(bits))};  // a double holds them all: as NumPy says them
  std::string digits = "0x";                          // the only way to say another NaN
  for (std::size_t i = 2 * Size; i-- > 0;) digits += "0123456789abcdef"[bits >> (4 * i) & 0xf];
  return digits;
}

inline std::vector<std::byte> read_complex(MemberValue const& found, std::size_t size) {
  if (!found.value().get_if<List>() || found.list().size() != 2)
    found.refuse("a list of two numbers, real and imaginary");
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < 2; ++i) {
    auto const part = size == 8 ? read_floating<4>(found.item(i)) : read_floating<8>(found.item(i));
    for (auto const byte : part) bytes.push_back(byte);
  }
  return bytes;
}

// A number for each byte, or base64, which other programs write.
inline std::vector<std::byte> read_raw(MemberValue const& found, std::size_t size) {
  if (auto* word = found.value().get_if<std::string>())
    if (auto bytes = decode_base64(*word); bytes && bytes->size() == size) return *std::move(bytes);
  if (!found.value().get_if<List>() || found.list().size() != size)
    found.refuse(text({"a list of ", size, " numbers from 0 to 255"}));
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(std::byte{found.item(i).integer<std::uint8_t>()});
  return bytes;
}

inline std::vector<std::byte> read_text(MemberValue const& found) {
  auto const bytes = std::as_bytes(std::span{found.string()});
  return {bytes.begin(), bytes.end()};
}
inline std::vector<std::byte> read_bytes(MemberValue const& found) {
  if (auto* word = found.value().get_if<std::string>())
    if (auto bytes = decode_base64(*word)) return *std::move(bytes);
  if (!found.value().get_if<List>()) found.refuse("base64, or a list of numbers from 0 to 255");
  return read_raw(found, found.list().size());
}

}  // namespace detail

/// One element in the machine's own byte order; of a type that varies, its own bytes. Throws: MetadataError.
inline std::vector<std::byte> read_fill_value(MemberValue const& found, DataType type) {
  using namespace detail;
  switch (type.kind) {
    case DataKind::boolean:
      return bytes_of(found.boolean());
    case DataKind::signed_integer:
    case DataKind::unsigned_integer:
      return with_integer(type, [&]<class T>(T) { return bytes_of(found.integer<T>()); });
    case DataKind::floating:
      return type.size == 2   ? read_floating<2>(found)
             : type.size == 4 ? read_floating<4>(found)
                              : read_floating<8>(found);
    case DataKind::complex:
      return read_complex(found, type.size);
    case DataKind::raw:
      return read_raw(found, type.size);
    case DataKind::string:
      return read_text(found);
    case DataKind::bytes:
      return read_bytes(found);
    case DataKind::datetime:
    case DataKind::timedelta:
    case DataKind::utf32:
    case DataKind::null_terminated:
    case DataKind::structure:
      break;
  }
  found.refuse(text({"a value of ", type.name()}));
}

/// How a document writes these bytes of one element, so that reading it gives the same bytes.
inline Value write_fill_value(std::span<std::byte const> bytes, DataType type) {
  using namespace detail;
  switch (type.kind) {
    case DataKind::boolean:
      return bytes[0] != std::byte{0};
    case DataKind::signed_integer:
    case DataKind::unsigned_integer:
      return with_integer(type, [&]<class T>(T) { return Value{Number{std::to_string(value_of<T>(bytes))}}; });
    case DataKind::floating:
      return type.size == 2   ? write_floating<2>(bytes)
             : type.size == 4 ? write_floating<4>(bytes)
                              : write_floating<8>(bytes);
    case DataKind::complex: {
      auto const real = bytes.first(type.size / 2), imaginary = bytes.last(type.size / 2);
      if (type.size == 8) return List{write_floating<4>(real), write_floating<4>(imaginary)};
      return List{write_floating<8>(real), write_floating<8>(imaginary)};
    }
    case DataKind::raw:
    case DataKind::datetime:
    case DataKind::timedelta:
    case DataKind::utf32:
    case DataKind::null_terminated:
    case DataKind::structure:
      break;
    case DataKind::string:
      return std::string{reinterpret_cast<char const*>(bytes.data()), bytes.size()};
    case DataKind::bytes:
      return encode_base64(bytes);
  }
  List list;
  for (auto b : bytes) list.push_back(Value::integer(std::to_integer<int>(b)));
  return list;
}

}}  // namespace tessera::v0
