// Where chunks are and what they are: an array's, those at the bottom of its shards, or those of a shard that is being
// written.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tessera/key/chunk_key.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/shard/index_cache.hpp>
#include <tessera/store/erased_store.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What chunks are called: in the store, and in errors.
class ChunkNames {
 public:
  /// The key of a chunk, or of the shard that it is in, into memory that is used again.
  virtual void put_key(Key& key, Extents const& chunk) const = 0;
  /// The error is of that chunk, whose key is `key`.
  virtual void blame(Error& error, Key const& key, Extents const& chunk) const = 0;

 protected:
  ~ChunkNames() = default;
};

/// Of an array.
class ArrayChunkNames final : public ChunkNames {
 public:
  /// `prefix` of the keys, with its '/'; null `grid`: there are no shards.
  ArrayChunkNames(std::string_view prefix, ChunkKeyEncoding encoding, ShardGrid const* grid = nullptr)
      : prefix_{prefix}, encoding_{encoding}, grid_{grid} {}

  void put_key(Key& key, Extents const& chunk) const override {
    key.path = prefix_;
    encoding_.append(key.path, grid_ ? grid_->shard_of(chunk) : chunk);
  }
  void blame(Error& error, Key const& key, Extents const& chunk) const override {
    if (grid_) error.in_inner_chunk(to_string(chunk));
    error.in_key(key.path);
  }

 private:
  std::string_view prefix_;
  ChunkKeyEncoding encoding_;
  ShardGrid const* grid_;
};

}  // namespace detail

/// Chunks in a store and how to read them. What it refers to outlives it.
template <class P>
struct ChunkAccess {
  using Store = detail::ErasedStore<typename P::bytes_space>;
  /// What writes chunks.
  struct Writing {
    detail::ErasedWritableStore<typename P::bytes_space> const& store;
    typename P::Encoder const* encoder = nullptr;  ///< null: chunks are written as they are encoded
  };

  Store const& store;
  detail::ChunkNames const& names;
  P const& pipeline;
  ResolvedChunk const& form;
  ByteView<space::Host> fill;         ///< one element, in the machine's byte order
  ShardIndexCache* shards = nullptr;  ///< where chunks are that are in shards
  Extents array_shape{};              ///< with `shards`: at its border they have fewer chunks; none: it is not known
  Writing const* writing = nullptr;   ///< the same chunks; null: they are read

  /// Values are used where the store has them. Bytes that are about to cross are better copied once, to where they
  /// cross from.
  bool lends() const { return std::same_as<typename P::bytes_space, typename P::bytes_staging> && store.can.lends; }
  /// The store is asked for one range after the other.
  bool joins() const { return !lends() && !store.can.gets_many; }
  /// The index of a shard is the host's, and of the same bytes.
  bool takes_whole_shards() const { return std::same_as<typename P::bytes_staging, space::Host> && !lends(); }

  /// The error is of a chunk.
  void blame(Error& error, Key const& key, Extents const& chunk) const {
    names.blame(error, key, chunk);
    error.in_store(store.name());
  }
};

}}  // namespace tessera::v0
