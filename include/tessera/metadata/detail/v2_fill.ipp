#pragma once
#include <tessera/metadata/detail/v2_fill.hpp>

#include <bit>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/numpy_type.hpp>
#include <tessera/metadata/detail/base64.hpp>
#include <tessera/metadata/detail/fill_value.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::optional<Number> number_in(std::string_view word) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  if (word.find_first_not_of("+-.0123456789eE") != word.npos) return std::nullopt;  // such as "inf"
  double ignored = 0;
  auto const* const end = word.data() + word.size();
  auto const [stop, error] = std::from_chars(word.data(), end, ignored);
  if (error == std::errc::invalid_argument || stop != end) return std::nullopt;
  return Number{std::string{word}};
}

[[gnu::cold]] TESSERA_DECL Value without_quotes(Value const& found) {
  if (auto const* word = found.get_if<std::string>())
    if (auto number = number_in(*word)) return *std::move(number);
  return found;
}

// 1.5 for "1.5", "NaN" for a bare NaN.
[[gnu::cold]] TESSERA_DECL Value v2_floating_fill(Value const& found) {
  auto value = without_quotes(found);
  if (auto const* number = value.get_if<Number>())
    if (number->text == "NaN" || number->text == "Infinity" || number->text == "-Infinity") return number->text;
  return value;
}

TESSERA_DECL Value lower_v2_fill(Value const& found, NumpyType const& of) {
  auto const type = of.type;
  Value const zero = Value::integer(0);
  switch (type.kind) {
    case DataKind::boolean:
      if (found.is_null() || found == zero) return false;
      return found == Value::integer(1) ? Value{true} : found;
    case DataKind::signed_integer:
    case DataKind::unsigned_integer:
      return found.is_null() ? zero : without_quotes(found);
    case DataKind::floating:
      return found.is_null() ? zero : v2_floating_fill(found);
    case DataKind::complex: {
      if (auto const* parts = found.get_if<List>()) {
        List list;
        for (auto const& part : *parts) list.push_back(v2_floating_fill(part));
        return list;
      }
      List list;
      list.push_back(found.is_null() ? zero : v2_floating_fill(found));
      list.push_back(zero);
      return list;
    }
    case DataKind::raw: {
      if (!found.is_null() && found != zero && found != Value{""}) return found;
      List list(type.size, zero);
      return list;
    }
    case DataKind::string:
    case DataKind::bytes:
      return found.is_null() || found == zero ? Value{""} : found;
    case DataKind::datetime:
    case DataKind::timedelta:
      return found.is_null() ? Value{"NaT"} : found;  // as zarr-python reads it
    case DataKind::utf32:
      return found.is_null() || found == zero ? Value{""} : found;
    case DataKind::null_terminated:
      if (auto const* const word = found.get_if<std::string>(); word && !decode_base64(*word))  // not in base64
        return encode_base64(std::as_bytes(std::span{*word}));
      return found.is_null() || found == zero ? Value{""} : found;
    case DataKind::structure: {  // in base64, in the byte order of the type
      std::vector<std::byte> bytes(type.size);
      if (auto const* const word = found.get_if<std::string>()) {
        auto decoded = decode_base64(*word);
        if (!decoded || decoded->size() != type.size) return found;
        bytes = *std::move(decoded);
        if (of.is_big != (std::endian::native == std::endian::big)) swap_components(bytes, components_of(of.fields));
      } else if (!found.is_null() && found != zero) {
        return found;
      }
      return encode_base64(bytes);
    }
  }
  return found;
}

TESSERA_DECL Value raise_v2_fill(std::span<std::byte const> bytes, NumpyType const& of) {
  if (of.type.varies()) return write_fill_value(bytes, of.type);
  if (of.type.kind == DataKind::raw) return encode_base64(bytes);
  if (of.type.kind == DataKind::structure) {
    std::vector<std::byte> element{bytes.begin(), bytes.end()};
    if (of.is_big != (std::endian::native == std::endian::big)) swap_components(element, components_of(of.fields));
    return encode_base64(element);
  }
  auto fill = write_fill_value(bytes, of.type);
  if (of.type.kind == DataKind::utf32 || of.type.kind == DataKind::null_terminated) return fill;
  auto const lose_bits = [](Value& part) {  // bits of a NaN, which v2 cannot express
    if (auto const* word = part.get_if<std::string>(); word && word->starts_with("0x")) part = "NaN";
  };
  if (auto* parts = fill.get_if<List>())
    for (auto& part : *parts) lose_bits(part);
  else
    lose_bits(fill);
  return fill;
}

}}}  // namespace tessera::v0::detail
