// ElementType: an array's element type in its document, with the fields of a struct (core specification, "Data types";
// zarr-extensions, data-types).
#pragma once
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/object_reader.hpp>

namespace tessera { inline namespace v0 {

struct ElementType {
  DataType type;
  std::vector<Field> fields{};  ///< of a struct
  /// zarr-python's own names in the document ("structured" for "struct", "raw_bytes" for "r24"), and a base64 fill
  /// value: zarr-python reads no others.
  bool is_of_numpy = false;
};

namespace detail {

ElementType read_element_type(MemberValue const& found);

/// Throws: MetadataError naming the member.
TESSERA_DECL ElementType read_element_type(MemberValue const& found);

[[gnu::cold]] TESSERA_DECL Value write_element_type(DataType type, std::vector<Field> const& fields, bool is_of_numpy);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/element_type.ipp>
#endif
