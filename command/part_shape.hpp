// Parts in which shards are written if memory cannot hold a whole one.
#pragma once
#include <cstddef>
#include <cstdint>

#include "arguments.hpp"
#include "boxes.hpp"

namespace cli {

/// Inner chunks of a shard of about `bytes` together, or one: they are consecutive in its index.
inline tessera::Extents part_shape(tessera::ArrayMetadata const& array, tessera::Extents const& count,
                                   std::uint64_t bytes) {
  auto inner = array;
  take_out_of_shards(inner);
  BoxShape part{count, inner.chunk_shape, array.type.size, bytes};
  for (auto d = count.rank(); d-- > 0;) {
    part.grow(d);
    if (part.shape()[d] < count[d]) break;
  }
  return part.shape();
}

}  // namespace cli
