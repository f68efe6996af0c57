// raise_v2_array: Zarr v2 documents from v3 form, the inverse of metadata/detail/v2_array.hpp.
#pragma once
#include <tessera/core/config.hpp>
#include <tessera/metadata/documents.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// `.zarray`, member for member as zarr-python writes it. Throws: MetadataError, if Zarr v2 cannot express the array.
[[gnu::cold]] TESSERA_DECL Value raise_v2_array(ArrayMetadata const& array);

/// `.zattrs`, with dimension names where xarray stores them. Throws: MetadataError, if the attributes are broken.
[[gnu::cold]] TESSERA_DECL Members raise_v2_attributes(ArrayMetadata const& array);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/v2_raise.ipp>
#endif
