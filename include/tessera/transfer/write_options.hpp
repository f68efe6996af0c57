// WriteOptions: how to write.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <tessera/core/option.hpp>
#include <tessera/transfer/detail/batches.hpp>

namespace tessera { inline namespace v0 {

/// As in ReadOptions, for a write. A chunk written in part is a mini-batch of its own. Where a device codec encodes, a
/// mini-batch has at most 512 MiB.
struct WriteOptions {
  /// Sizes of mini-batches, and how many are under way at a time; of shards, how many shards.
  Option<std::size_t> mini_batch{}, mini_batch_bytes{}, in_flight{};
  Option<std::uint64_t> memory{};           ///< bytes for all chunks under way; 0: bounded by the other options only
  Option<std::atomic<bool> const*> stop{};  ///< once true, no mini-batch begins, and the call ends with Cancelled
  Option<Progress> progress{};              ///< called with the chunks done and all chunks; of shards, with shards
  Option<bool> store_fill_chunks{};  ///< also write chunks that hold only the fill value; false: erase their keys
  /// When part of a shard is written, append its new chunks and a new index in place, without reading or writing other
  /// chunks. Replaced chunks stay in the shard until it is compacted. This is not atomic: a process that reads the
  /// shard meanwhile, or after this one was killed during the append, may find a damaged index (CodecError, with the
  /// key; CompactOptions::recovered). Shards that could not reveal it are replaced as usual: their index is at the
  /// start, has no checksum (crc32c, last), or is as long as that of shards inside them. So are shards with codecs
  /// after sharding_indexed, in stores that are no AppendableStore, and in files with several names.
  Option<bool> append_to_shards{};
};

}}  // namespace tessera::v0
