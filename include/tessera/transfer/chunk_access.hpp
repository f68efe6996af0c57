// Where chunks are and what they are: an array's, or those at the bottom of its shards.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <tessera/key/chunk_key.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/shard/index_cache.hpp>
#include <tessera/shard/watched_shards.hpp>
#include <tessera/store/host_side.hpp>
#include <tessera/store/key_lock.hpp>

namespace tessera { inline namespace v0 {

/// Chunks in a store and how to read them: an array's, or those at the bottom of its shards.
template <class S, class P>
struct ChunkAccess {
  S const& store;
  std::string_view prefix;  ///< of the keys, with its '/'
  ChunkKeyEncoding key_encoding;
  P const& pipeline;
  ResolvedChunk const& form;
  ByteView<space::Host> fill;        ///< one element, in the machine's byte order
  ShardIndexCache* shards = nullptr;  ///< where chunks are that are in shards
  KeyLocks* locks = nullptr;         ///< with `shards`: used where the store has none of its own
  Extents array_shape{};             ///< with `shards`: at its border they have fewer chunks; none: that is not known

  /// The key of a chunk, or of the shard that it is in, in memory that is used again.
  void put_key(Key& key, Extents const& chunk) const {
    if constexpr (requires { store.put_key(key, chunk); }) return store.put_key(key, chunk);
    key.path = prefix;
    key_encoding.append(key.path, shards ? shards->grid().shard_of(chunk) : chunk);
  }

  /// Where the chunk's value is in that of its key; nullopt: its shard is known not to have it. Reads the shard's
  /// index by `read`, if nobody has, and sets `sequence` to when that was; `seen` is what it is of, if it is watched.
  /// Throws: CodecError, StoreError.
  template <class AnyQueue>
  std::optional<ByteRange> locate(Key const& key, Extents const& chunk, std::optional<std::uint64_t>& sequence,
                                  ReadPart read, ValueVersion const* seen, AnyQueue& on) const try {
    return shards->find(key, chunk, read, detail::changes_of(store, key, *locks), sequence, on.host(), seen);
  } catch (Error& error) {
    error.in_key(key.path).in_store(name_of(store));
    throw;
  }

  /// Part of a shard's value as the host's bytes; nullopt: there is no shard.
  template <class AnyQueue>
  std::optional<std::size_t> read_part(Key const& key, ByteRange range, Destination<space::Host> destination,
                                       detail::WatchedShard* watched, AnyQueue& on) const {
    return detail::read_watched(host_side(store, queue_in<space_of<S>>(on)), key, range, destination, watched,
                                on.host());
  }

  /// The error is of a chunk.
  void blame(Error& error, Key const& key, Extents const& chunk) const {
    if constexpr (requires { store.blame(error, chunk); }) return store.blame(error, chunk);
    if (shards) error.in_inner_chunk(to_string(chunk));
    error.in_key(key.path).in_store(name_of(store));
  }
};

}}  // namespace tessera::v0
