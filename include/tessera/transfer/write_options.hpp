// How a write is to be done.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <tessera/transfer/batches.hpp>

namespace tessera { inline namespace v0 {

/// What ReadOptions has, for a write: chunks that are written in part are mini-batches of their own, and where a
/// device's codec encodes, they have 512 MiB at most.
struct WriteOptions {
  std::size_t mini_batch = 0, mini_batch_bytes = 0, in_flight = 0;
  std::uint64_t memory = 0;
  std::atomic<bool> const* stop = nullptr;
  Progress progress{};
  bool store_fill_chunks = false;  ///< write chunks of nothing but the fill value too; else their keys are erased
  /// Where part of a shard is written, put its new chunks and a new index behind it, in place: of the others nothing is
  /// read, and nothing written. What they replace stays in the shard until it is compacted. A shard is not replaced at
  /// once then: another process that reads it meanwhile, or after this one was killed during it, may find a damaged
  /// index (CodecError, with the key; CompactOptions::recovered). Replaced as ever are shards that would not show it:
  /// whose index is at the start, has no checksum (crc32c, last), or is as long as an index of shards in them; and
  /// shards that codecs stand behind, those in stores that are no AppendableStore, and files that have several names.
  bool append_to_shards = false;
};

}}  // namespace tessera::v0
