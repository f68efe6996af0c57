#pragma once
#include <tessera/array/convert.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/detail/conversion.hpp>
#include <tessera/core/error.hpp>
#include <tessera/metadata/detail/missing_numbers.hpp>
#include <tessera/metadata/detail/node_document.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The numbers of an attribute, one or a list; none, if it is missing.
template <class T>
std::vector<T> attribute_numbers(Members const& attributes, std::string_view name) {
  auto const* const found = attributes.find(name);
  if (!found) return {};
  auto const in_place = [&] { return member_named(name); };
  if (found->get_if<List>()) return value_as<std::vector<T>>(*found, in_place);
  return {value_as<T>(name == "_FillValue" ? without_base64(*found) : *found, in_place)};
}

TESSERA_DECL double attribute_number(Members const& attributes, std::string_view name, double otherwise) {
  auto const found = attribute_numbers<double>(attributes, name);
  if (found.size() > 1)
    throw MetadataError{to_text({member_named(name), ": found ", found.size(), " numbers, expected one"})};
  return found.empty() ? otherwise : found[0];
}

}  // namespace detail

TESSERA_DECL Conversion mask_and_scale(Members const& attributes) {
  if (attributes.contains("_Unsigned"))
    throw MetadataError{"member \"_Unsigned\" is not supported: the data type says whether integers have a sign"};
  Conversion conversion{detail::attribute_number(attributes, "scale_factor", 1),
                        detail::attribute_number(attributes, "add_offset", 0)};
  std::vector<long double> missing;
  for (auto const* name : {"_FillValue", "missing_value"})
    for (auto number : detail::attribute_numbers<long double>(attributes, name))
      if (number == number && std::ranges::find(missing, number) == missing.end()) missing.push_back(number);
  if (missing.size() > 2)
    throw MetadataError{to_text(
        {"members \"_FillValue\" and \"missing_value\": found ", missing.size(), " numbers, expected at most two"})};
  if (missing.size() == 1) conversion.missing = missing[0];
  if (missing.size() == 2) conversion.missing = {missing[0], missing[1]};
  return conversion;
}

TESSERA_DECL Conversion mask_and_scale(ArrayMetadata const& array) {
  if (!detail::has_missing_as_fill(array)) return mask_and_scale(array.attributes);
  auto attributes = array.attributes;
  if (auto missing = detail::missing_number(array); !missing.is_null())
    detail::set_member(attributes, detail::missing_attribute, std::move(missing));
  return mask_and_scale(attributes);
}

}}  // namespace tessera::v0
