// Members common to the documents of arrays and groups.
#pragma once
#include <string>

#include <tessera/core/config.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/metadata/detail/format.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// A Zarr v2 document is in v3 form, with its own `zarr_format`.
TESSERA_DECL ZarrFormat read_format(ObjectReader& reader);

/// The error in the attributes of Zarr v2, which have their own document; empty: none.
TESSERA_DECL std::string broken_attributes(ObjectReader& reader);
/// Throws: MetadataError, if they are broken.
TESSERA_DECL void expect_attributes(std::string const& broken);
TESSERA_DECL Members read_attributes(ObjectReader& reader);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/node_members.ipp>
#endif
