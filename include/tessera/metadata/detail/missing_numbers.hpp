// The CF attribute `_FillValue` of xarray: in Zarr v2 the array's fill value, in v3 only an attribute, with fractions
// in base64.
#pragma once
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/metadata/documents.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

inline constexpr char const* missing_attribute = "_FillValue";

/// The eight bytes of a double, little endian, in base64.
[[gnu::cold]] TESSERA_DECL Value base64_of(double number);
/// The number in base64 of eight bytes; any other value unchanged.
TESSERA_DECL Value without_base64(Value const& value);

/// Whether xarray opens this Zarr v2 array with its fill value as `_FillValue`: it has the attribute of dimension
/// names, or one of NCZarr.
[[gnu::cold]] TESSERA_DECL bool has_missing_as_fill(ArrayMetadata const& array);

[[noreturn, gnu::cold]] TESSERA_DECL void refuse_missing(std::string_view member, std::string_view problem);

/// The array with missing values and dimension names where xarray has them in the other format. Throws: MetadataError,
/// if they have no place there.
[[gnu::cold]] TESSERA_DECL ArrayMetadata missing_in_format(ArrayMetadata array, ZarrFormat format);

/// `_FillValue` as a number, in either format; null: none.
[[gnu::cold]] TESSERA_DECL Value missing_number(ArrayMetadata const& array);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/missing_numbers.ipp>
#endif
