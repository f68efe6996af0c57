// What the metadata of a new array may not say.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/checked.hpp>
#include <tessera/core/reader.hpp>
#include <tessera/metadata/array_metadata.hpp>
#include <tessera/metadata/expected_element.hpp>
#include <tessera/metadata/to_json.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// The fields of a struct fill it, one after the other.
[[gnu::cold]] inline void check_fields(DataType type, std::span<Field const> fields) {
  std::uint64_t at = 0;
  bool is_filled = (type.kind != DataKind::structure && fields.empty()) || type == structure_of(fields);
  for (auto const& field : fields) {
    check_fields(field.type, field.fields);
    is_filled = is_filled && field.at == at;
    at += field.type.size;
  }
  if (!is_filled || (!fields.empty() && at != type.size))
    throw MetadataError{text({"fields that are not those of the type ", type.name(), ": ", describe_fields(fields)})};
}

// What a document may not say of an array, however it is made.
inline void check_new(ArrayMetadata const& array) {
  auto const rank = array.shape.rank();
  if (array.chunk_shape.rank() != rank)
    throw MetadataError{text({"a chunk shape of ", array.chunk_shape.rank(), " dimensions, expected ", rank})};
  if (!array.dimension_names.empty() && array.dimension_names.size() != rank)
    throw MetadataError{text({"found ", array.dimension_names.size(), " dimension names, expected ", rank})};
  for (auto n : array.chunk_shape)
    if (n == 0)
      throw MetadataError{text({"chunk shape ", to_string(array.chunk_shape), ": expected numbers from 1 on"})};
  if (!array.type.varies() && array.fill.size() != array.type.size)
    throw MetadataError{text({"a fill value of ", array.fill.size(), " bytes, expected ", array.type.size})};
  checked_size(checked_product(element_count(array.shape, "shape"), array.type.size, "shape"), "shape");
  for (std::size_t d = 0; d < array.edges.size(); ++d)
    if (array.edges.size() != rank || array.edges[d].runs.empty() || array.edges[d].longest() != array.chunk_shape[d])
      throw MetadataError{"the longest chunks of a rectilinear grid are its chunk shape; found other edges"};
  check_fields(array.type, array.fields);
  auto const document = to_value(array);  // and it is one that can be opened again
  ObjectReader reader{document, ""};
  (void)reader.at("zarr_format");
  auto const again = read_array_metadata(reader);
  if (again.chunk_shape != array.chunk_shape)
    throw MetadataError{text({"a rectilinear grid whose longest chunks are ", to_string(again.chunk_shape),
                              ", expected its chunk shape, ", to_string(array.chunk_shape)})};
}

}  // namespace detail
}}  // namespace tessera::v0
