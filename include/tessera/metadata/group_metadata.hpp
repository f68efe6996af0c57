// GroupMetadata: the contents of a group's `zarr.json` (core specification, "Group metadata").
#pragma once
#include <string>

#include <tessera/core/config.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/metadata/detail/document.hpp>
#include <tessera/metadata/detail/node_members.hpp>
#include <tessera/metadata/format.hpp>

namespace tessera { inline namespace v0 {

/// The document of a group, of either Zarr format.
struct GroupMetadata {
  Members attributes{};  ///< as in the document
  Members tolerated{};  ///< unknown members that may be ignored, kept unchanged
  /// The document has consolidated metadata, not read here (metadata/detail/consolidated_documents.hpp).
  bool has_consolidated = false;
  ZarrFormat format = ZarrFormat::v3;  ///< of the stored documents
  std::string broken_attributes{};     ///< the error in `.zattrs` of Zarr v2; empty: none
};

/// Throws: MetadataError naming the member.
TESSERA_DECL GroupMetadata read_group_metadata(ObjectReader& reader);

/// As `zarr.json`, member for member as zarr-python writes it; for a Zarr v2 group, in the form of read_document.
/// Throws: MetadataError, if the attributes are broken.
TESSERA_DECL Value to_value(GroupMetadata const& group);

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/group_metadata.ipp>
#endif
