#pragma once
#include <tessera/metadata/detail/fill_value.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/unicode.hpp>
#include <tessera/core/detail/with_integer.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/metadata/detail/base64.hpp>
#include <tessera/metadata/detail/decimal.hpp>
#include <tessera/metadata/detail/floating_fill.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

TESSERA_DECL FloatingType part_of_complex(DataType type) { return {type.size / 2, type.format}; }

TESSERA_DECL std::vector<std::byte> read_complex(MemberValue const& found, DataType type) {
  if (!found.value().get_if<List>() || found.list().size() != 2)
    found.refuse("a list of two numbers, real and imaginary");
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < 2; ++i)
    for (auto const byte : read_floating(found.item(i), part_of_complex(type))) bytes.push_back(byte);
  return bytes;
}

// 100 for 100.0 and 1e2: integers to Python programs and TensorStore.
[[gnu::cold]] TESSERA_DECL Value without_fraction(Value const& found) {
  auto const* const number = found.get_if<Number>();
  if (!number || number->text.find_first_of(".eE") == std::string::npos) return found;
  if (auto const e = number->text.find_first_of("eE"); e != std::string::npos && number->text.size() - e > 4)
    return found;  // exceeds 64 bits
  Digits const said{number->text};
  constexpr long most = 20;  // digits of a 64-bit integer
  if (said.digits.empty()) return Value::integer(0);
  if (said.point > most || said.point < static_cast<long>(said.digits.size())) return found;
  auto whole = (number->text[0] == '-' ? "-" : "") + said.digits;
  whole.append(static_cast<std::size_t>(said.point) - said.digits.size(), '0');
  return Number{std::move(whole)};
}

// Two or four bits are the low ones of a byte, sign-extended.
TESSERA_DECL std::vector<std::byte> read_integer(MemberValue const& given, DataType type) {
  auto const whole = without_fraction(given.value());
  MemberValue const found{whole, given.where()};
  bool const is_signed = type.kind == DataKind::signed_integer;
  if (type.format != NumberFormat::usual) {
    int const most = (type.format == NumberFormat::int2 ? 4 : 16) / (is_signed ? 2 : 1) - 1;
    return bytes_of(static_cast<std::int8_t>(found.integer<int>(is_signed ? -most - 1 : 0, most)));
  }
  return with_integer(type, [&]<class T>(T) { return bytes_of(found.integer<T>()); });
}

TESSERA_DECL Value write_integer(std::span<std::byte const> bytes, DataType type) {
  if (type.format != NumberFormat::usual) {
    int const count = type.format == NumberFormat::int2 ? 4 : 16;
    int const low = std::to_integer<int>(bytes[0]) % count;
    return Value::integer(type.kind == DataKind::signed_integer && low >= count / 2 ? low - count : low);
  }
  return with_integer(type, [&]<class T>(T) { return Value{Number{std::to_string(value_of<T>(bytes))}}; });
}

// NaT (not a time) is the smallest integer.
TESSERA_DECL std::vector<std::byte> read_time(MemberValue const& found) {
  if (found.value() == Value{"NaT"}) return bytes_of(std::numeric_limits<std::int64_t>::min());
  if (found.value().get_if<std::string>()) found.refuse("a number or \"NaT\"");
  return bytes_of(found.integer<std::int64_t>());
}

// A number for each byte, or base64 of other programs.
TESSERA_DECL std::vector<std::byte> read_raw(MemberValue const& found, std::size_t size) {
  if (auto* word = found.value().get_if<std::string>())
    if (auto bytes = decode_base64(*word); bytes && bytes->size() == size) return *std::move(bytes);
  if (!found.value().get_if<List>() || found.list().size() != size)
    found.refuse(to_text({"a list of ", size, " numbers from 0 to 255"}));
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(std::byte{found.item(i).integer<std::uint8_t>()});
  return bytes;
}

TESSERA_DECL std::vector<std::byte> read_text(MemberValue const& found) {
  auto const bytes = std::as_bytes(std::span{found.string()});
  return {bytes.begin(), bytes.end()};
}

TESSERA_DECL std::vector<std::byte> read_bytes(MemberValue const& found) {
  if (auto* word = found.value().get_if<std::string>())
    if (auto bytes = decode_base64(*word)) return *std::move(bytes);
  if (!found.value().get_if<List>()) found.refuse("base64, or a list of numbers from 0 to 255");
  return read_raw(found, found.list().size());
}

// Base64, padded with zero bytes.
TESSERA_DECL std::vector<std::byte> read_null_terminated(MemberValue const& found, std::size_t size) {
  auto bytes = decode_base64(found.string());
  if (!bytes || bytes->size() > size) found.refuse(to_text({"base64 of at most ", size, " bytes"}));
  bytes->resize(size);
  return *std::move(bytes);
}

TESSERA_DECL Value write_null_terminated(std::span<std::byte const> bytes) {
  while (!bytes.empty() && bytes.back() == std::byte{}) bytes = bytes.first(bytes.size() - 1);
  return encode_base64(bytes);
}

TESSERA_DECL std::vector<std::byte> read_utf32(MemberValue const& found, std::size_t size) {
  std::vector<std::byte> bytes;
  for (std::string_view rest = found.string(); !rest.empty();) {
    auto const [code, length] = decode_utf8(rest);
    if (length == 0 || bytes.size() == size)
      found.refuse(to_text({"Unicode text of at most ", size / 4, " code points"}));
    for (auto const byte : bytes_of(code)) bytes.push_back(byte);
    rest.remove_prefix(length);
  }
  bytes.resize(size);
  return bytes;
}

TESSERA_DECL Value write_utf32(std::span<std::byte const> bytes) {
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

TESSERA_DECL std::vector<std::byte> read_fill_value(MemberValue const& found, DataType type,
                                                    std::span<Field const> fields) {
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
  found.refuse(to_text({"a value of ", type.name()}));
}

TESSERA_DECL Value write_fill_value(std::span<std::byte const> bytes, DataType type, std::span<Field const> fields) {
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
      return Number{std::to_string(value_of<std::int64_t>(bytes))};  // NaT too, as in zarr-python 3
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

TESSERA_DECL std::vector<std::byte> read_structure(MemberValue const& found, DataType type,
                                                   std::span<Field const> fields) {
  if (auto* word = found.value().get_if<std::string>()) {
    auto bytes = decode_base64(*word);
    if (!bytes || bytes->size() != type.size) found.refuse(to_text({"base64 of ", type.size, " bytes"}));
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
