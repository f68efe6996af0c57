// What chunks are called that are counted from another one on than the array's first.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include <tessera/shard/grid.hpp>
#include <tessera/transfer/chunk_access.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Of a part of an array's grid.
class PartChunkNames final : public ChunkNames {
 public:
  /// As ArrayChunkNames; `first`: the chunk, or shard, of the array that is the part's first.
  PartChunkNames(std::string_view prefix, ChunkKeyEncoding encoding, ShardGrid const* grid, Extents const& first)
      : prefix_{prefix}, encoding_{encoding}, grid_{grid}, first_{first} {}

  void put_key(Key& key, Extents const& chunk) const override {
    auto place = grid_ ? grid_->shard_of(chunk) : chunk;
    for (std::size_t d = 0; d < place.rank(); ++d) place[d] += first_[d];
    key.path = prefix_;
    encoding_.append(key.path, place);
  }
  void blame(Error& error, Key const& key, Extents const& chunk) const override {
    if (grid_) error.in_inner_chunk(to_string(chunk) + " of those of its shape");
    error.in_key(key.path);
  }

 private:
  std::string_view prefix_;
  ChunkKeyEncoding encoding_;
  ShardGrid const* grid_;
  Extents const& first_;
};

}}}  // namespace tessera::v0::detail
