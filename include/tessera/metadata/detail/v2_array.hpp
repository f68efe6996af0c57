// lower_v2_array, lower_v2_group: Zarr v2 documents as v3 documents whose `zarr_format` is 2, for readers of v3.
#pragma once
#include <cstddef>
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/value_types.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Where xarray has dimension names.
inline constexpr std::string_view v2_dimension_names = "_ARRAY_DIMENSIONS";

// Null unless the attribute is a list of `rank` names or nulls; it may be anything.
[[gnu::cold]] TESSERA_DECL Value const* dimension_names_in(Value const& attributes, std::size_t rank);

/// `.zarray`, and `.zattrs` from read_v2_attributes, null if missing. Unknown members are ignored (Zarr v2,
/// "Metadata"). Throws: MetadataError naming the member of `.zarray`.
[[gnu::cold]] TESSERA_DECL Value lower_v2_array(Value const& document, Value attributes);

/// `.zgroup` and `.zattrs`. Throws: MetadataError naming the member of `.zgroup`.
[[gnu::cold]] TESSERA_DECL Value lower_v2_group(Value const& document, Value attributes);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/v2_array.ipp>
#endif
