// data_type_named: the data type for a name in a metadata document.
#pragma once
#include <optional>
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// Names outside the core specification: "bfloat16", "complex_float8_e5m2", "complex_float16", "int4".
TESSERA_DECL std::optional<DataType> small_number_named(std::string_view name);

}  // namespace detail

/// The raw type of a name such as "r24": three bytes that tessera does not interpret. At most 1 MiB.
TESSERA_DECL std::optional<DataType> raw_type_named(std::string_view name);

/// The data type with this name in `zarr.json`, if the type needs no configuration.
TESSERA_DECL std::optional<DataType> data_type_named(std::string_view name);

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/data_type_named.ipp>
#endif
