// PartChunkNames: names of chunks whose numbers begin elsewhere than at the array's first chunk.
#pragma once
#include <string_view>

#include <tessera/shard/detail/grid.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// For part of an array's grid.
class PartChunkNames final : public ChunkNames {
 public:
  /// As ArrayChunkNames; `first`: the array's chunk or shard at which the part begins.
  PartChunkNames(std::string_view prefix, ChunkKeyEncoding encoding, ShardGrid const* grid, Extents const& first)
      : prefix_{prefix}, encoding_{encoding}, grid_{grid}, first_{first} {}

  void put_key(Key& key, Extents const& chunk) const override;
  void blame(Error& error, Key const& key, Extents const& chunk) const override;

 private:
  std::string_view prefix_;
  ChunkKeyEncoding encoding_;
  ShardGrid const* grid_;
  Extents const& first_;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/part_chunk_names.ipp>
#endif
