// stored_as: the metadata of a node in the other Zarr format, with the stored chunks unchanged.
#pragma once
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/metadata/documents.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

[[noreturn]] TESSERA_DECL void refuse_member(std::string_view member, std::string_view problem);

/// The same array in `format`. Throws: MetadataError naming the member that prevents it.
TESSERA_DECL ArrayMetadata stored_as(ArrayMetadata const& array, ZarrFormat format);
TESSERA_DECL GroupMetadata stored_as(GroupMetadata group, ZarrFormat format);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/other_format.ipp>
#endif
