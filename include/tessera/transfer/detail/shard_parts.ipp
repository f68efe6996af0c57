#pragma once
#include <tessera/transfer/detail/shard_parts.hpp>

#include <cstddef>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL Extents first_chunk_of(ShardGrid const& grid, Extents place) {
  for (std::size_t d = 0; d < place.rank(); ++d) place[d] *= grid.chunks_per_shard()[d];
  return place;
}

}}}  // namespace tessera::v0::detail
