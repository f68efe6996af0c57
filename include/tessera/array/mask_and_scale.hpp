// mask_and_scale: attributes of packed numbers as a Conversion, as NetCDF's conventions (CF, "Packed Data", "Missing
// Data") describe them and xarray's mask_and_scale uses them.
#pragma once
#include <concepts>

#include <tessera/core/config.hpp>
#include <tessera/core/convert.hpp>
#include <tessera/core/detail/number_as.hpp>
#include <tessera/metadata/detail/missing_numbers.hpp>

namespace tessera { inline namespace v0 {
/// The conversion that these attributes describe: `scale_factor` and `add_offset` are the scale and the offset;
/// elements equal to `_FillValue` or `missing_value` are missing. Absent attributes change nothing. In Zarr v2 xarray
/// keeps `_FillValue` elsewhere: pass the array, not its attributes. Throws: MetadataError naming the attribute, if it
/// has no numbers, or if it is `_Unsigned`; if more than two numbers are missing.
TESSERA_DECL Conversion mask_and_scale(Members const& attributes);

/// The same for an array: `read_as<float>(array, all, mask_and_scale(array))`; write_as packs in the same way.
/// `_FillValue` is where xarray has it: in Zarr v3, the attribute; in Zarr v2, the fill value, if xarray opens the
/// array (it has the attribute `_ARRAY_DIMENSIONS`, or those of NCZarr) and `fill_value` is not null; else the
/// attribute.
TESSERA_DECL Conversion mask_and_scale(ArrayMetadata const& array);
template <class A>
requires requires(A const& array) {
  { array.metadata() } -> std::same_as<ArrayMetadata>;
}
Conversion mask_and_scale(A const& array) {
  return mask_and_scale(array.metadata());
}

/// The attribute `_FillValue` as xarray reads it in Zarr v3, for an array of T:
/// `.attributes = {{"_FillValue", fill_value_attribute<float>(NAN)}}`. For a floating-point type it is a double's eight
/// bytes in base64, for an integer the number.
template <ConvertibleElement T>
Value fill_value_attribute(T number) {
  if constexpr (detail::is_fraction<T>)
    return detail::base64_of(static_cast<double>(number));
  else
    return number;
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/array/detail/mask_and_scale.ipp>
#endif
