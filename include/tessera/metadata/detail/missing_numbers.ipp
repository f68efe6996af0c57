#pragma once
#include <tessera/metadata/detail/missing_numbers.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/metadata/detail/base64.hpp>
#include <tessera/metadata/detail/fill_value.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/metadata/detail/v2_array.hpp>
#include <tessera/metadata/documents.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL Value base64_of(double number) {
  auto const bits = __builtin_bit_cast(std::uint64_t, number);
  std::vector<std::byte> bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::byte>(bits >> (8 * i) & 0xff));
  return encode_base64(bytes);
}

TESSERA_DECL Value without_base64(Value const& value) {
  auto const* const text = value.get_if<std::string>();
  auto const bytes = text ? decode_base64(*text) : std::nullopt;
  if (!bytes || bytes->size() != sizeof(double)) return value;
  std::uint64_t bits = 0;
  for (std::size_t i = bytes->size(); i-- > 0;) bits = bits << 8 | std::to_integer<std::uint64_t>((*bytes)[i]);
  return __builtin_bit_cast(double, bits);
}

TESSERA_DECL bool has_missing_as_fill(ArrayMetadata const& array) {
  if (array.format != ZarrFormat::v2 || array.has_no_fill) return false;
  for (auto const& attribute : array.attributes) {
    std::string_view const name{attribute.name};
    if (name == v2_dimension_names || name.starts_with("_nczarr") || name.starts_with("_NCZARR")) return true;
  }
  return false;
}

[[gnu::cold]] TESSERA_DECL double fraction_of(ArrayMetadata const& array, std::size_t part = 0) {
  bool const is_complex = array.type.kind == DataKind::complex;
  auto const type = is_complex ? part_of_complex(array.type) : FloatingType{array.type.size, array.type.format};
  auto const bytes = std::span{array.fill}.subspan(part * type.size, type.size);
  return type.value(type.bits(bytes)).value_or(std::numeric_limits<double>::quiet_NaN());
}

[[gnu::cold]] TESSERA_DECL bool is_zero(std::vector<std::byte> const& fill) {
  for (auto const byte : fill)
    if (byte != std::byte{}) return false;
  return true;
}

/// Whether the fill value is NaN or NaT, equal to no element.
[[gnu::cold]] TESSERA_DECL bool is_no_number(ArrayMetadata const& array) {
  auto const kind = array.type.kind;
  if (kind == DataKind::floating) return fraction_of(array) != fraction_of(array);
  if (kind == DataKind::complex)
    return fraction_of(array, 0) != fraction_of(array, 0) || fraction_of(array, 1) != fraction_of(array, 1);
  return (kind == DataKind::datetime || kind == DataKind::timedelta) &&
         value_of<std::int64_t>(array.fill) == std::numeric_limits<std::int64_t>::min();
}

/// The fill value as xarray's `_FillValue` of Zarr v3; nullopt: none for this type.
[[gnu::cold]] TESSERA_DECL std::optional<Value> fill_as_attribute(ArrayMetadata const& array) {
  switch (array.type.kind) {
    case DataKind::boolean:
    case DataKind::signed_integer:
    case DataKind::unsigned_integer:
      return write_fill_value(array.fill, array.type);
    case DataKind::floating:
      return base64_of(fraction_of(array));
    case DataKind::complex:
      return List{base64_of(fraction_of(array, 0)), base64_of(fraction_of(array, 1))};
    default:
      return std::nullopt;
  }
}

/// Whether the attribute equals the fill value; nullopt: not a number of this type.
[[gnu::cold]] TESSERA_DECL std::optional<bool> is_fill(Value const& attribute, ArrayMetadata const& array) try {
  auto const kind = array.type.kind;
  if (kind == DataKind::floating || kind == DataKind::complex) {
    auto const same = [&](Value const& part, std::size_t place) {
      auto const expected = fraction_of(array, place);
      auto const found = without_base64(part).as<double>();
      auto const rounded = array.type.size == 4 && kind == DataKind::floating ? static_cast<float>(found) : found;
      return rounded == expected || (rounded != rounded && expected != expected);
    };
    if (kind == DataKind::floating) return same(attribute, 0);
    return same(attribute.at(0), 0) && same(attribute.at(1), 1);
  }
  auto const expected = fill_as_attribute(array);
  if (!expected) return std::nullopt;
  if (kind == DataKind::boolean) return attribute == *expected;
  return attribute.as<long double>() == expected->as<long double>();
} catch (MetadataError const&) {
  return std::nullopt;
}

TESSERA_DECL void refuse_missing(std::string_view member, std::string_view problem) {
  throw MetadataError{to_text({"member ", member, ": ", problem, "; set or remove the attribute _FillValue first"})};
}

[[gnu::cold]] TESSERA_DECL void erase_attribute(Members& attributes, std::string_view name) {
  std::erase_if(attributes, [&](Member const& one) { return one.name == name; });
}

[[gnu::cold]] TESSERA_DECL ArrayMetadata missing_in_v3(ArrayMetadata array) {
  bool const is_xarrays = has_missing_as_fill(array);
  bool const was_null = std::exchange(array.has_no_fill, false);
  // `dimension_names` has them; to xarray the attribute would be one of the variable.
  if (dimension_names_in(array.attributes, array.shape.rank())) erase_attribute(array.attributes, v2_dimension_names);
  if (is_xarrays) {
    if (auto attribute = fill_as_attribute(array))
      set_member(array.attributes, missing_attribute, *std::move(attribute));
    else if (array.type.kind != DataKind::structure && array.type.kind != DataKind::raw && !is_no_number(array))
      refuse_missing("fill_value",
                     to_text({"in Zarr v2 it is xarray's _FillValue, which xarray does not read in Zarr v3 "
                              "for elements of ",
                              array.type.name()}));
  } else if (auto* const found = array.attributes.find(missing_attribute);
             was_null && found && found->get_if<Number>() && array.type.kind == DataKind::floating) {
    set_member(array.attributes, missing_attribute, base64_of(found->as<double>()));
  }
  return array;
}

[[gnu::cold]] TESSERA_DECL bool are_all_named(ArrayMetadata const& array) {
  for (auto const& name : array.dimension_names)
    if (!name) return false;
  return array.dimension_names.size() == array.shape.rank();
}

[[gnu::cold]] TESSERA_DECL ArrayMetadata missing_in_v2(ArrayMetadata array) {
  if (!are_all_named(array)) return array;  // xarray does not open it
  auto const* const found = array.attributes.find(missing_attribute);
  auto const compared = found ? is_fill(*found, array) : std::nullopt;
  bool const is_number = compared.has_value(), is_same = compared.value_or(false);
  bool const is_scalar = array.shape.rank() == 0;
  if (is_same) {
    erase_attribute(array.attributes, missing_attribute);
  } else if (is_zero(array.fill)) {  // null reads as zero, and xarray then uses the attribute
    array.has_no_fill = true;
    if (is_number && array.type.kind == DataKind::floating)
      set_member(array.attributes, missing_attribute, without_base64(*found));
  } else if (is_number) {
    refuse_missing("fill_value",
                   "Zarr v2 has one value for chunks that are not stored and for xarray's _FillValue, but they differ "
                   "here");
  } else if (is_scalar) {
    return array;  // nothing shows that xarray opens it
  } else if (!is_no_number(array)) {
    refuse_missing("fill_value", "xarray treats it as _FillValue in Zarr v2, and would read valid elements as missing");
  }
  if (is_scalar && !array.attributes.contains(v2_dimension_names))
    array.attributes.push_back({std::string{v2_dimension_names}, List{}});
  return array;
}

TESSERA_DECL ArrayMetadata missing_in_format(ArrayMetadata array, ZarrFormat format) {
  if (array.format == format) return array;
  return format == ZarrFormat::v3 ? missing_in_v3(std::move(array)) : missing_in_v2(std::move(array));
}

TESSERA_DECL Value missing_number(ArrayMetadata const& array) {
  if (has_missing_as_fill(array)) {
    if (array.type.kind == DataKind::floating) return fraction_of(array);
    return fill_as_attribute(array).value_or(Value{});
  }
  auto const* const found = array.attributes.find(missing_attribute);
  return found ? without_base64(*found) : Value{};
}

}}}  // namespace tessera::v0::detail
