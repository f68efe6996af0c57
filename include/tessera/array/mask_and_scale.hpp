// Attributes of packed numbers as a conversion: what NetCDF's conventions (CF, "Packed Data", "Missing Data") say of
// them, and xarray's mask_and_scale does.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/convert.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/core/value.hpp>
#include <tessera/metadata/base64.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// xarray writes a `_FillValue` of fractions to Zarr v3 as a double's eight bytes in base64.
inline Value without_base64(Value const& value) {
  auto const* const text = value.get_if<std::string>();
  auto const bytes = text ? decode_base64(*text) : std::nullopt;
  if (!bytes || bytes->size() != sizeof(double)) return value;
  std::uint64_t bits = 0;
  for (std::size_t i = bytes->size(); i-- > 0;) bits = bits << 8 | std::to_integer<std::uint64_t>((*bytes)[i]);
  return __builtin_bit_cast(double, bits);
}

/// The numbers that an attribute has, one or a list of them; none, if it is not there.
template <class T>
std::vector<T> attribute_numbers(Members const& attributes, std::string_view name) {
  auto const* const found = attributes.find(name);
  if (!found) return {};
  auto const in_place = [&] { return member_named(name); };
  if (found->get_if<List>()) return value_as<std::vector<T>>(*found, in_place);
  return {value_as<T>(name == "_FillValue" ? without_base64(*found) : *found, in_place)};
}

inline double attribute_number(Members const& attributes, std::string_view name, double otherwise) {
  auto const found = attribute_numbers<double>(attributes, name);
  if (found.size() > 1) throw MetadataError{text({member_named(name), ": found ", found.size(), " numbers, expected one"})};
  return found.empty() ? otherwise : found[0];
}

}  // namespace detail

/// How numbers are read as their attributes say: `read_as<float>(array, all, mask_and_scale(array.attributes()))`.
/// `scale_factor` and `add_offset` are the scale and the offset; what `_FillValue` and `missing_value` say is missing.
/// Attributes that are not there change nothing. `write_as` packs likewise. Throws: MetadataError naming the attribute,
/// if it has no numbers, or if it is `_Unsigned`; if more than two numbers are missing.
inline Conversion mask_and_scale(Members const& attributes) {
  if (attributes.contains("_Unsigned"))
    throw MetadataError{"member \"_Unsigned\" is not supported: the data type says whether integers have a sign"};
  Conversion conversion{detail::attribute_number(attributes, "scale_factor", 1),
                        detail::attribute_number(attributes, "add_offset", 0)};
  std::vector<long double> missing;
  for (auto const* name : {"_FillValue", "missing_value"})
    for (auto number : detail::attribute_numbers<long double>(attributes, name))
      if (number == number && std::ranges::find(missing, number) == missing.end()) missing.push_back(number);
  if (missing.size() > 2)
    throw MetadataError{text({"members \"_FillValue\" and \"missing_value\": found ", missing.size(),
                              " numbers, expected at most two"})};
  if (missing.size() == 1) conversion.missing = missing[0];
  if (missing.size() == 2) conversion.missing = {missing[0], missing[1]};
  return conversion;
}

}}  // namespace tessera::v0
