// ArrayMetadata and GroupMetadata: the contents of the `zarr.json` of an array and of a group (core specification,
// "Array metadata" and "Group metadata"). DimensionNames: the names of an array's dimensions ("Dimension names").
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tessera/codec/concept.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/core/value.hpp>
#include <tessera/key/key.hpp>
#include <tessera/metadata/detail/chunk_grid.hpp>
#include <tessera/metadata/detail/document.hpp>
#include <tessera/metadata/detail/format.hpp>  // IWYU pragma: export
#include <tessera/metadata/detail/node_members.hpp>
#include <tessera/plan/detail/chunk_edges.hpp>

namespace tessera { inline namespace v0 {

/// One entry per dimension, or empty: no names. nullopt: a dimension without a name.
class DimensionNames : public std::vector<std::optional<std::string>> {
 public:
  using vector::vector;
  DimensionNames() = default;
  DimensionNames(vector names) : vector(std::move(names)) {}

  /// `["y", "x", null]`, as in the document.
  friend std::string to_string(DimensionNames const& names) {
    std::string shown = "[";
    for (auto const& name : names) shown += (shown.size() > 1 ? ", " : "") + (name ? describe(*name) : "null");
    return shown + "]";
  }
  template <class Stream>
  friend auto operator<<(Stream& to, DimensionNames const& names) -> decltype(to << std::string{}) {
    return to << to_string(names);
  }
};

/// The document of an array, of either Zarr format.
struct ArrayMetadata {
  Extents shape;  ///< elements along each dimension
  DataType type;  ///< of its elements
  Extents chunk_shape;  ///< elements; of a rectilinear grid, the longest along each dimension
  ChunkKeyEncoding key_encoding;  ///< the form of the chunks' keys
  std::vector<std::byte> fill;  ///< one element, in native byte order; for strings and bytes, their bytes
  /// In encoding order; sharding_indexed has those of inner chunks in its configuration.
  std::vector<Specification> codecs;
  Members attributes{};                ///< as in the document
  DimensionNames dimension_names{};    ///< empty: none
  Members tolerated{};                 ///< unknown members that may be ignored, kept unchanged
  List storage_transformers{};         ///< those that may be ignored, kept unchanged
  ZarrFormat format = ZarrFormat::v3;  ///< of the stored documents
  std::vector<Field> fields{};         ///< of a struct; otherwise empty
  bool is_of_numpy = false;            ///< zarr-python's own names; see ElementType
  std::vector<ChunkEdges> edges{};     ///< per dimension of a rectilinear grid; empty for a regular grid
  std::string broken_attributes{};     ///< the error in `.zattrs` of Zarr v2; empty: none
  bool has_no_fill = false;            ///< Zarr v2: null or missing, which reads as zero
};

/// Throws: MetadataError naming the member, the value found and the one expected. An error that names an unsupported
/// feature means that the rest is valid.
TESSERA_DECL ArrayMetadata read_array_metadata(ObjectReader& reader);

/// A chunk as it reaches the first codec; of a rectilinear grid, one of `chunk_shape`.
TESSERA_DECL ChunkSpecification chunk_of(ArrayMetadata const& array);

/// As `zarr.json`, member for member as zarr-python writes it; for a Zarr v2 array, in the form of read_document.
/// Throws: MetadataError, if the attributes are broken.
TESSERA_DECL Value to_value(ArrayMetadata const& array);

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
#include <tessera/metadata/detail/documents.ipp>
#endif
