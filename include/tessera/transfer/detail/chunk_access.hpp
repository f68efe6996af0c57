// ChunkAccess: where chunks are and how to decode them: an array's, those at the bottom of its shards, or those of a
// shard under construction.
#pragma once
#include <concepts>
#include <string_view>

#include <tessera/key/key.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/shard/detail/index_cache.hpp>
#include <tessera/store/detail/erased_store.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Names chunks in the store and in errors.
class ChunkNames {
 public:
  /// Sets the key of a chunk, or of its shard, and reuses the key's memory.
  virtual void put_key(Key& key, Extents const& chunk) const = 0;
  /// Adds to the error the chunk, whose key is `key`.
  virtual void blame(Error& error, Key const& key, Extents const& chunk) const = 0;

 protected:
  ~ChunkNames() = default;
};

/// The names of an array's chunks.
class ArrayChunkNames final : public ChunkNames {
 public:
  /// `prefix`: of the keys, including its '/'. Null `grid`: no shards.
  ArrayChunkNames(std::string_view prefix, ChunkKeyEncoding encoding, ShardGrid const* grid = nullptr)
      : prefix_{prefix}, encoding_{encoding}, grid_{grid} {}

  void put_key(Key& key, Extents const& chunk) const override;
  void blame(Error& error, Key const& key, Extents const& chunk) const override;

 private:
  std::string_view prefix_;
  ChunkKeyEncoding encoding_;
  ShardGrid const* grid_;
};

}  // namespace detail

/// Chunks in a store, and the stages `P` that read them. Referenced objects must outlive it.
template <class P>
struct ChunkAccess {
  using Store = detail::ErasedStore<typename P::bytes_space>;
  /// For writing the chunks.
  struct Writing {
    detail::ErasedWritableStore<typename P::bytes_space> const& store;
    bool encodes = true;  ///< false: chunks are given encoded
  };

  /// Host threads decode the bytes where they are.
  static constexpr bool is_on_host =
      std::same_as<typename P::bytes_space, typename P::array_space> && P::array_space::host_accessible;

  Store const& store;
  detail::ChunkNames const& names;
  P const& pipeline;
  ResolvedChunk const& form;
  ByteView<space::Host> fill;         ///< one element, in native byte order
  ShardIndexCache* shards = nullptr;  ///< shard indexes; null without sharding
  Extents array_shape{};              ///< with `shards`: shards at its border have fewer chunks; empty: unknown
  Writing const* writing = nullptr;   ///< for the same chunks; null: read only

  /// Values are used in the store's memory, unless they cross to another space: then they are better copied once, to
  /// staging memory.
  bool lends() const { return std::same_as<typename P::bytes_space, typename P::bytes_staging> && store.can.lends; }
  /// The store serves one range per request, so ranges are joined.
  bool joins() const { return !lends() && !store.can.gets_many; }
  /// Elements wait for no other value where the host decodes what comes from far.
  bool places_arrivals() const { return is_on_host && store.can.gets_many && !store.is_near(); }
  /// Of a chunk that says where its parts are, a part is read in two steps. Requires a chunk that is worth it, and, as
  /// both must be of one value, that the store tells whether that was replaced, as `ConsistentShards` find out.
  bool reads_indexes() const {
    constexpr auto least_near = std::size_t{1} << 16, least_far = std::size_t{1} << 21;
    return std::same_as<typename P::bytes_space, space::Host> && form.index_size > 0 &&
           (shards || store.can.watches) && form.encoded_bound() >= (store.is_near() ? least_near : least_far);
  }
  /// Requires host memory: a shard's index, which is on the host, is part of the same bytes.
  bool takes_whole_shards() const { return std::same_as<typename P::bytes_staging, space::Host> && !lends(); }

  /// Adds a chunk and the store to the error.
  void blame(Error& error, Key const& key, Extents const& chunk) const {
    names.blame(error, key, chunk);
    error.in_store(store.name());
  }
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/chunk_access.ipp>
#endif
