#pragma once
#include <tessera/core/data_type.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/detail/number_format.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL std::string DataType::name() const {
  auto const with = [](char const* name, std::string const& what) { return std::string{name} + "[" + what + "]"; };
  auto const bits = std::to_string(std::uint64_t{size} * 8);
  switch (kind) {
    case DataKind::boolean:
      return "bool";
    case DataKind::signed_integer:
    case DataKind::unsigned_integer: {
      std::string const name = kind == DataKind::signed_integer ? "int" : "uint";
      return name + (format == NumberFormat::int2 ? "2" : format == NumberFormat::int4 ? "4" : bits);
    }
    case DataKind::floating:
      return format == NumberFormat::usual ? "float" + bits : std::string{detail::format_name(format)};
    case DataKind::complex:
      if (format != NumberFormat::usual) return "complex_" + std::string{detail::format_name(format)};
      return size == 4 ? "complex_float16" : "complex" + bits;
    case DataKind::raw:
      return "r" + bits;
    case DataKind::datetime:
    case DataKind::timedelta:
      return with(kind == DataKind::datetime ? "numpy.datetime64" : "numpy.timedelta64",
                  (scale == 1 ? "" : std::to_string(scale)) + std::string{detail::unit_name(unit)});
    case DataKind::utf32:
      return with("fixed_length_utf32", std::to_string(size));
    case DataKind::null_terminated:
      return with("null_terminated_bytes", std::to_string(size));
    case DataKind::structure:
      return with("struct", std::to_string(size));
    case DataKind::string:
      return "string";
    case DataKind::bytes:
      return "bytes";
  }
  return "?";
}

namespace detail {

TESSERA_DECL std::optional<DataType> small_number_named(std::string_view name) {
  if (name == "complex_float16") return DataType{DataKind::complex, 4};
  for (auto const format : {NumberFormat::int2, NumberFormat::int4})
    for (auto const kind : {DataKind::signed_integer, DataKind::unsigned_integer})
      if (DataType const type{kind, 1, format}; type.name() == name) return type;
  for (std::size_t i = 0; i < std::size(small_float_names); ++i) {
    auto const format = static_cast<NumberFormat>(static_cast<std::size_t>(first_small_float) + i);
    if (name == format_name(format)) return DataType{DataKind::floating, size_of(format), format};
    if (name.starts_with("complex_") && name.substr(8) == format_name(format))
      return DataType{DataKind::complex, 2 * size_of(format), format};
  }
  return std::nullopt;
}

}  // namespace detail

TESSERA_DECL std::optional<DataType> raw_type_named(std::string_view name) {
  std::uint32_t bits = 0;
  if (name.size() < 2 || name[0] != 'r' || name[1] == '0') return std::nullopt;
  auto const [stop, error] = std::from_chars(name.data() + 1, name.data() + name.size(), bits);
  if (error != std::errc{} || stop != name.data() + name.size() || bits % 8 != 0 || bits / 8 > bounds::element_bytes)
    return std::nullopt;
  return DataType{DataKind::raw, bits / 8};
}

TESSERA_DECL std::optional<DataType> data_type_named(std::string_view name) {
  for (auto type : data_types)
    if (type.name() == name) return type;
  // Other registered names of core types.
  if (name == "complex_float32") return DataType{DataKind::complex, 8};
  if (name == "complex_float64") return DataType{DataKind::complex, 16};
  if (name == "string") return string_type;
  // zarr-python writes the second name, older drafts the third.
  if (name == "bytes" || name == "variable_length_bytes" || name == "binary") return bytes_type;
  if (auto const type = detail::small_number_named(name)) return type;
  return raw_type_named(name);
}

namespace detail {

TESSERA_DECL std::size_t count_fields(std::span<Field const> fields) {
  auto count = fields.size();
  for (auto const& field : fields) count += count_fields(field.fields);
  return count;
}

TESSERA_DECL void add_components(std::vector<ComponentRun>& runs, std::span<Field const> fields, std::uint32_t at) {
  for (auto const& field : fields) {
    if (field.type.kind == DataKind::structure) {
      add_components(runs, field.fields, at + field.at);
      continue;
    }
    ComponentRun const next{at + field.at, field.type.size, static_cast<std::uint32_t>(field.type.component())};
    auto* const last = runs.empty() ? nullptr : &runs.back();
    if (last && last->at + last->size == next.at && last->swapped == next.swapped)
      last->size += next.size;
    else
      runs.push_back(next);
  }
}

TESSERA_DECL std::vector<ComponentRun> components_of(std::span<Field const> fields) {
  std::vector<ComponentRun> runs;
  add_components(runs, fields, 0);
  return runs;
}

TESSERA_DECL void swap_components(std::span<std::byte> element, std::span<ComponentRun const> runs) {
  for (auto const& run : runs)
    for (std::size_t at = run.at; at < std::size_t{run.at} + run.size; at += run.swapped)
      std::reverse(element.data() + at, element.data() + at + run.swapped);
}

TESSERA_DECL DataType structure_of(std::span<Field const> fields) {
  DataType type{DataKind::structure, 0};
  for (auto const& field : fields) {
    type.size += field.type.size;
    auto const component = static_cast<std::uint32_t>(field.type.component());
    if (component > type.largest) type.largest = component;
  }
  return type;
}

}  // namespace detail
}}  // namespace tessera::v0
