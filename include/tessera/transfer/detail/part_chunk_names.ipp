#pragma once
#include <tessera/transfer/detail/part_chunk_names.hpp>

#include <cstddef>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void PartChunkNames::put_key(Key& key, Extents const& chunk) const {
  auto place = grid_ ? grid_->shard_of(chunk) : chunk;
  for (std::size_t d = 0; d < place.rank(); ++d) place[d] += first_[d];
  key.path = prefix_;
  encoding_.append(key.path, place);
}

TESSERA_DECL void PartChunkNames::blame(Error& error, Key const& key, Extents const& chunk) const {
  if (grid_) error.in_inner_chunk(to_string(chunk) + " (counted among those of its shape)");
  error.in_key(key.path);
}

}}}  // namespace tessera::v0::detail
