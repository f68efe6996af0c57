#pragma once
#include <tessera/core/data_type_named.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/bounds.hpp>

namespace tessera { inline namespace v0 { namespace detail {

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

}}  // namespace tessera::v0
