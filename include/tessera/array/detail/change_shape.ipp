#pragma once
#include <tessera/array/detail/change_shape.hpp>

#include <utility>

#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/metadata/documents.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL Extents replaceable_shape(Members document, Extents const& other, ArrayMetadata const& open) {
  auto const read = [](Members members) {
    Value const value{std::move(members)};
    ObjectReader reader{value, ""};
    (void)reader.at("zarr_format");
    return read_array_metadata(reader);
  };
  auto const found = read(document);
  if (found.chunk_shape != open.chunk_shape || found.edges != open.edges || found.type != open.type ||
      found.fields != open.fields)
    throw MetadataError{"the array at this path is not the one that was opened"};
  set_member(document, "shape", to_value(other));
  (void)read(std::move(document));
  return found.shape;
}

}}}  // namespace tessera::v0::detail
