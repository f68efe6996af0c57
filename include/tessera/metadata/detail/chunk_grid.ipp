#pragma once
#include <tessera/metadata/detail/chunk_grid.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/core/value.hpp>
#include <tessera/metadata/detail/rectilinear.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL Value to_value(Extents const& extents) {
  List list;
  for (auto n : extents) list.push_back(Number{std::to_string(n)});
  return list;
}

// A rectilinear grid of one length per dimension is regular: `edges` stays empty.
[[gnu::cold]] TESSERA_DECL Extents read_edges(Value const& configuration, Extents const& shape,
                                              std::vector<ChunkEdges>& edges) {
  auto found = read_rectilinear(configuration, shape);
  Extents longest;
  bool is_regular = true;
  for (auto const& axis : found) {
    is_regular = is_regular && axis.repeats;
    longest.push_back(axis.longest());
  }
  if (!is_regular) edges = std::move(found);
  return longest;
}

TESSERA_DECL Extents read_chunk_grid(MemberValue const& found, Extents const& shape, std::vector<ChunkEdges>& edges) {
  auto const grid = specification(found);
  if (grid.name == "rectilinear") return read_edges(grid.configuration, shape, edges);
  if (grid.name != "regular")
    throw MetadataError{to_text({"chunk grid ", describe(grid.name)}),
                        to_text({"member chunk_grid: ", describe(grid.name),
                                 " is not supported, only \"regular\" and \"rectilinear\""})};
  ObjectReader configuration{grid.configuration, "chunk_grid.configuration"};
  auto const member = configuration.at("chunk_shape");
  auto chunk_shape = member.extents();
  configuration.finish();
  if (chunk_shape.rank() != shape.rank()) member.refuse(to_text({shape.rank(), " numbers, as in shape"}));
  for (std::size_t d = 0; d < shape.rank(); ++d)
    if (chunk_shape[d] == 0) {
      if (shape[d] != 0) member.refuse("numbers of at least 1");
      chunk_shape[d] = 1;  // older zarr-python writes 0 for a dimension of length 0
    }
  return chunk_shape;
}

TESSERA_DECL Value write_chunk_grid(Extents const& chunk_shape, std::vector<ChunkEdges> const& edges) {
  if (!edges.empty()) return write_rectilinear(edges);
  return tessera::to_value(Specification{"regular", Members{{"chunk_shape", to_value(chunk_shape)}}});
}

}}}  // namespace tessera::v0::detail
