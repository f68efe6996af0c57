#pragma once
#include <tessera/node/detail/check_new.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <tessera/core/object_reader.hpp>
#include <tessera/metadata/detail/expected_element.hpp>
#include <tessera/metadata/documents.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// The fields of a struct must fill it without gaps.
[[gnu::cold]] TESSERA_DECL void check_fields(DataType type, std::span<Field const> fields) {
  std::uint64_t at = 0;
  bool is_filled = (type.kind != DataKind::structure && fields.empty()) || type == structure_of(fields);
  for (auto const& field : fields) {
    check_fields(field.type, field.fields);
    is_filled = is_filled && field.at == at;
    at += field.type.size;
  }
  if (!is_filled || (!fields.empty() && at != type.size))
    throw MetadataError{to_text({"the fields do not match the type ", type.name(), ": ", describe_fields(fields)})};
}

[[gnu::cold]] TESSERA_DECL void check_extents(std::string_view member, Extents const& found, std::size_t rank) {
  if (found.rank() != rank)
    throw MetadataError{to_text({"found ", member, " of ", found.rank(), " dimensions, expected ", rank})};
  for (auto n : found)
    if (n == 0)
      throw MetadataError{to_text({"found ", member, " ", to_string(found), ", expected numbers of at least 1"})};
}

TESSERA_DECL void check_new_chunks(Extents const& shape, Extents const& chunks, Extents const& shards, bool is_chunks) {
  std::string_view const member = is_chunks ? ".chunks" : ".chunk_shape";
  bool const in_shards = shards.rank() > 0;
  if (in_shards) check_extents(".shards", shards, shape.rank());
  if (in_shards && chunks.rank() == 0) return;  // the pipeline has them, or an error says that they are missing
  check_extents(member, chunks, shape.rank());
  for (std::size_t d = 0; in_shards && d < chunks.rank(); ++d)
    if (shards[d] % chunks[d] != 0)
      throw MetadataError{to_text({"found ", member, " ", to_string(chunks), ", expected divisors of .shards ",
                                   to_string(shards), " in each dimension"})};
}

TESSERA_DECL void check_new(ArrayMetadata const& array) {
  auto const rank = array.shape.rank();
  if (array.chunk_shape.rank() != rank)
    throw MetadataError{to_text({"a chunk shape of ", array.chunk_shape.rank(), " dimensions, expected ", rank})};
  if (!array.dimension_names.empty() && array.dimension_names.size() != rank)
    throw MetadataError{to_text({"found ", array.dimension_names.size(), " dimension names, expected ", rank})};
  for (auto n : array.chunk_shape)
    if (n == 0)
      throw MetadataError{to_text({"chunk shape ", to_string(array.chunk_shape), ": expected numbers of at least 1"})};
  if (!array.type.varies() && array.fill.size() != array.type.size)
    throw MetadataError{to_text({"a fill value of ", array.fill.size(), " bytes, expected ", array.type.size})};
  for (std::size_t d = 0; d < array.edges.size(); ++d)
    if (array.edges.size() != rank || array.edges[d].runs.empty() || array.edges[d].longest() != array.chunk_shape[d])
      throw MetadataError{"the longest chunks of a rectilinear grid must have its chunk shape; found other edges"};
  check_fields(array.type, array.fields);
  auto const document = to_value(array);  // it must be possible to open it again
  ObjectReader reader{document, ""};
  (void)reader.at("zarr_format");
  auto const again = read_array_metadata(reader);
  if (again.chunk_shape != array.chunk_shape)
    throw MetadataError{to_text({"a rectilinear grid whose longest chunks are ", to_string(again.chunk_shape),
                                 ", expected its chunk shape, ", to_string(array.chunk_shape)})};
}

}}}  // namespace tessera::v0::detail
