// check_new: throws MetadataError, if the metadata of a new array is invalid.
#pragma once
#include <tessera/core/config.hpp>
#include <tessera/metadata/array_metadata.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

TESSERA_DECL void check_new(ArrayMetadata const& array);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/node/detail/check_new.ipp>
#endif
