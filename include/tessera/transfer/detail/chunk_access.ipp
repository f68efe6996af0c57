#pragma once
#include <tessera/transfer/detail/chunk_access.hpp>

#include <tessera/key/key.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void ArrayChunkNames::put_key(Key& key, Extents const& chunk) const {
  key.path = prefix_;
  encoding_.append(key.path, grid_ ? grid_->shard_of(chunk) : chunk);
}

TESSERA_DECL void ArrayChunkNames::blame(Error& error, Key const& key, Extents const& chunk) const {
  if (grid_) error.in_inner_chunk(to_string(chunk));
  error.in_key(key.path);
}

}}}  // namespace tessera::v0::detail
