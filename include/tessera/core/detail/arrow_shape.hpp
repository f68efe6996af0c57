// arrow_shape: which values, offsets and children a format string of Arrow's C data interface requires.
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <tessera/core/data_type.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Columns in columns, and columns of one table, from sources that are not trusted.
inline constexpr std::size_t most_arrow_depth = 16, most_arrow_columns = 4096;
/// Bytes of a name, or of a format with a time zone, from such a source. All columns may share the bytes of one.
inline constexpr std::size_t longest_arrow_text = std::size_t{16} << 10;

/// What a schema requires: values of a type (none, if its size is 0), offsets of that many bytes each, children.
struct ArrowShape {
  DataType data{DataKind::unsigned_integer, 0};
  std::uint32_t offsets = 0;
  bool has_children = false, is_bool = false;
  std::optional<std::uint32_t> list_size{};  ///< of a fixed-size list

  bool is_index() const {
    return (data.kind == DataKind::signed_integer || data.kind == DataKind::unsigned_integer) && data.size != 0 &&
           !is_bool && offsets == 0;
  }
};

/// A decimal number without a sign, which is the whole text.
inline std::optional<std::uint32_t> arrow_number(std::string_view text) {
  std::uint32_t number = 0;
  auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

/// "d:precision,scale", of 128 bits, or "d:precision,scale,bits". The scale may be negative.
inline std::optional<ArrowShape> arrow_decimal_shape(std::string_view schema) {
  auto const parts = schema.substr(2);
  auto const comma = parts.find(','), second = parts.find(',', comma + 1);
  if (comma == parts.npos) return std::nullopt;
  auto const precision = arrow_number(parts.substr(0, comma));
  auto scale = parts.substr(comma + 1, second == parts.npos ? second : second - comma - 1);
  if (scale.starts_with('-')) scale.remove_prefix(1);
  auto const bits = second == parts.npos ? 128 : arrow_number(parts.substr(second + 1)).value_or(0);
  if (!precision || !arrow_number(scale)) return std::nullopt;
  if (bits == 32 || bits == 64) return ArrowShape{{DataKind::signed_integer, bits / 8}};
  if (bits == 128 || bits == 256) return ArrowShape{{DataKind::raw, bits / 8}};
  return std::nullopt;
}

/// Dates, times of day, moments and spans: int32 or int64.
inline std::optional<ArrowShape> arrow_time_shape(std::string_view schema) {
  constexpr DataType narrow{DataKind::signed_integer, 4}, wide{DataKind::signed_integer, 8};
  if (schema == "tdD" || schema == "tts" || schema == "ttm") return ArrowShape{narrow};
  if (schema == "tdm" || schema == "ttu" || schema == "ttn") return ArrowShape{wide};
  bool const has_unit = schema.size() >= 3 && std::string_view{"smun"}.find(schema[2]) != std::string_view::npos;
  if (has_unit && ((schema.starts_with("ts") && schema.size() >= 4 && schema[3] == ':') ||
                   (schema.starts_with("tD") && schema.size() == 3)))
    return ArrowShape{wide};
  return std::nullopt;
}

/// Arrow's name of a type that the library does not have; empty, if Arrow does not define the format either.
inline std::string_view arrow_name(std::string_view schema) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"vu", "string_view"},      {"vz", "binary_view"},       {"+vl", "list_view"},
      {"+vL", "large_list_view"}, {"+m", "map"},               {"+r", "run_end_encoded"},
      {"tiM", "month_interval"},  {"tiD", "day_time_interval"}, {"tin", "month_day_nano_interval"}};
  if (schema.starts_with("+ud:")) return "dense_union";
  if (schema.starts_with("+us:")) return "sparse_union";
  for (auto const& [format, name] : names)
    if (schema == format) return name;
  return {};
}

/// nullopt: the library does not know the schema.
inline std::optional<ArrowShape> arrow_shape(std::string_view schema) {
  constexpr std::string_view letters = "cCsSiIlLefg";
  constexpr DataType types[] = {
      {DataKind::signed_integer, 1},   {DataKind::unsigned_integer, 1}, {DataKind::signed_integer, 2},
      {DataKind::unsigned_integer, 2}, {DataKind::signed_integer, 4},   {DataKind::unsigned_integer, 4},
      {DataKind::signed_integer, 8},   {DataKind::unsigned_integer, 8}, {DataKind::floating, 2},
      {DataKind::floating, 4},         {DataKind::floating, 8}};
  constexpr DataType byte{DataKind::unsigned_integer, 1};
  if (schema.size() == 1) {
    if (auto const at = letters.find(schema[0]); at != letters.npos) return ArrowShape{types[at]};
    if (schema == "b") return ArrowShape{.data = byte, .is_bool = true};
    if (schema == "u" || schema == "z") return ArrowShape{byte, 4};
    if (schema == "U" || schema == "Z") return ArrowShape{byte, 8};
    if (schema == "n") return ArrowShape{};
  }
  if (schema.starts_with('t')) return arrow_time_shape(schema);
  if (schema.starts_with("d:")) return arrow_decimal_shape(schema);
  if (schema.starts_with("w:") && schema.size() < 10) {
    auto const size = arrow_number(schema.substr(2));
    if (size && *size != 0) return ArrowShape{{DataKind::raw, *size}};
  }
  if (schema.starts_with("+w:"))
    if (auto const size = arrow_number(schema.substr(3))) return ArrowShape{.has_children = true, .list_size = size};
  if (schema == "+l") return ArrowShape{.offsets = 4, .has_children = true};
  if (schema == "+L") return ArrowShape{.offsets = 8, .has_children = true};
  if (schema == "+s") return ArrowShape{.has_children = true};
  return std::nullopt;
}

}}}  // namespace tessera::v0::detail
