// The fill value of an array, as bytes and as a document says it (core specification, "Fill value"; data-types).
// Numbers go from their decimal text straight to the type, never through double.
#pragma once
#include <algorithm>
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
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/field.hpp>
#include <tessera/core/reader.hpp>
#include <tessera/core/small_float.hpp>
#include <tessera/core/text.hpp>
#include <tessera/core/unicode.hpp>
#include <tessera/core/with_integer.hpp>
#include <tessera/metadata/base64.hpp>
#include <tessera/metadata/decimal.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

std::vector<std::byte> read_structure(MemberValue const& found, DataType type, std::span<Field const> fields);

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

inline FloatingType part_of_complex(DataType type) { return {type.size / 2, type.format}; }

inline std::vector<std::byte> read_complex(MemberValue const& found, DataType type) {
  if (!found.value().get_if<List>() || found.list().size() != 2)
    found.refuse("a list of two numbers, real and imaginary");
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < 2; ++i)
    for (auto const byte : read_floating(found.item(i), part_of_complex(type))) bytes.push_back(byte);
  return bytes;
}

// Of two or four bits: the low ones of a byte, and the sign in all others.
inline std::vector<std::byte> read_integer(MemberValue const& found, DataType type) {
  bool const is_signed = type.kind == DataKind::signed_integer;
  if (type.format != NumberFormat::usual) {
    int const most = (type.format == NumberFormat::int2 ? 4 : 16) / (is_signed ? 2 : 1) - 1;
    return bytes_of(static_cast<std::int8_t>(found.integer<int>(is_signed ? -most - 1 : 0, most)));
  }
  return with_integer(type, [&]<class T>(T) { return bytes_of(found.integer<T>()); });
}
inline Value write_integer(std::span<std::byte const> bytes, DataType type) {
  if (type.format != NumberFormat::usual) {
    int const count = type.format == NumberFormat::int2 ? 4 : 16;
    int const low = std::to_integer<int>(bytes[0]) % count;
    return Value::integer(type.kind == DataKind::signed_integer && low >= count / 2 ? low - count : low);
  }
  return with_integer(type, [&]<class T>(T) { return Value{Number{std::to_string(value_of<T>(bytes))}}; });
}

// NaT, no time, is the least number.
inline std::vector<std::byte> read_time(MemberValue const& found) {
  if (found.value() == Value{"NaT"}) return bytes_of(std::numeric_limits<std::int64_t>::min());
  if (found.value().get_if<std::string>()) found.refuse("a number or \"NaT\"");
  return bytes_of(found.integer<std::int64_t>());
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

// Bytes filled up with zeros, in base64.
inline std::vector<std::byte> read_null_terminated(MemberValue const& found, std::size_t size) {
  auto bytes = decode_base64(found.string());
  if (!bytes || bytes->size() > size) found.refuse(text({"base64 of at most ", size, " bytes"}));
  bytes->resize(size);
  return *std::move(bytes);
}
inline Value write_null_terminated(std::span<std::byte const> bytes) {
  while (!bytes.empty() && bytes.back() == std::byte{}) bytes = bytes.first(bytes.size() - 1);
  return encode_base64(bytes);
}

inline std::vector<std::byte> read_utf32(MemberValue const& found, std::size_t size) {
  std::vector<std::byte> bytes;
  for (std::string_view rest = found.string(); !rest.empty();) {
    auto const [code, length] = decode_utf8(rest);
    if (length == 0 || bytes.size() == size)
      found.refuse(text({"text of Unicode, of at most ", size / 4, " code points"}));
    for (auto const byte : bytes_of(code)) bytes.push_back(byte);
    rest.remove_prefix(length);
  }
  bytes.resize(size);
  return bytes;
}
inline Value write_utf32(std::span<std::byte const> bytes) {
  auto const code_at = [&](std::size_t i) { return value_of<char32_t>(bytes.subspan(4 * i, 4)); };
  auto count = bytes.size() / 4;
  while (count > 0 && code_at(count - 1) == 0) --count;
  std::string result;
  for (std::size_t i = 0; i < count; ++i) {
    bool const is_one = code_at(i) <= 0x10ffff && (code_at(i) < 0xd800 || code_at(i) >= 0xe000);
    append_utf8(result, is_one ? code_at(i) : U'\ufffd');
  }
  return result;
}

}  // namespace detail

/// One element in the machine's own byte order; of a type that varies, its own bytes. `fields`: of a struct.
/// Throws: MetadataError.
inline std::vector<std::byte> read_fill_value(MemberValue const& found, DataType type,
                                              std::span<Field const> fields = {}) {
  using namespace detail;
  switch (type.kind) {
    case DataKind::boolean:
      return bytes_of(found.boolean());
    case DataKind::signed_integer:
    case DataKind::unsigned_integer:
      return read_integer(found, type);
    case DataKind::floating:
      return read_floating(found, {type.size, type.format});
    case DataKind::complex:
      return read_complex(found, type);
    case DataKind::raw:
      return read_raw(found, type.size);
    case DataKind::string:
      return read_text(found);
    case DataKind::bytes:
      return read_bytes(found);
    case DataKind::datetime:
    case DataKind::timedelta:
      return read_time(found);
    case DataKind::utf32:
      return read_utf32(found, type.size);
    case DataKind::null_terminated:
      return read_null_terminated(found, type.size);
    case DataKind::structure:
      return read_structure(found, type, fields);
  }
  found.refuse(text({"a value of ", type.name()}));
}

/// How a document writes these bytes of one element, so that reading it gives the same bytes.
inline Value write_fill_value(std::span<std::byte const> bytes, DataType type, std::span<Field const> fields = {}) {
  using namespace detail;
  switch (type.kind) {
    case DataKind::boolean:
      return bytes[0] != std::byte{0};
    case DataKind::signed_integer:
    case DataKind::unsigned_integer:
      return write_integer(bytes, type);
    case DataKind::floating:
      return write_floating(bytes, {type.size, type.format});
    case DataKind::complex:
      return List{write_floating(bytes.first(type.size / 2), part_of_complex(type)),
                  write_floating(bytes.last(type.size / 2), part_of_complex(type))};
    case DataKind::datetime:
    case DataKind::timedelta:
      return Number{std::to_string(value_of<std::int64_t>(bytes))};  // NaT too: zarr-python 3 says it so
    case DataKind::utf32:
      return write_utf32(bytes);
    case DataKind::null_terminated:
      return write_null_terminated(bytes);
    case DataKind::structure: {
      Members members;
      for (auto const& field : fields)
        if (!field.name.empty())
          members.push_back(
              {field.name, write_fill_value(bytes.subspan(field.at, field.type.size), field.type, field.fields)});
      return members;
    }
    case DataKind::raw:
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

namespace detail {

// A member for each field; in base64, a packed element.
inline std::vector<std::byte> read_structure(MemberValue const& found, DataType type, std::span<Field const> fields) {
  if (auto* word = found.value().get_if<std::string>()) {
    auto bytes = decode_base64(*word);
    if (!bytes || bytes->size() != type.size) found.refuse(text({"base64 of ", type.size, " bytes"}));
    return *std::move(bytes);
  }
  ObjectReader members{found};
  std::vector<std::byte> bytes(type.size);
  for (auto const& field : fields) {
    if (field.name.empty()) continue;
    auto const one = read_fill_value(members.at(field.name), field.type, field.fields);
    std::copy(one.begin(), one.end(), bytes.begin() + field.at);
  }
  members.finish();
  return bytes;
}

}  // namespace detail
}}  // namespace tessera::v0
