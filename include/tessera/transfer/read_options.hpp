// How a read is to be done, and what it moved.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <tessera/transfer/batches.hpp>

namespace tessera { inline namespace v0 {

/// What a read moved, in bytes: fetched from the store, decoded by codecs that run, placed element by element.
struct Traffic {
  std::atomic<std::uint64_t> chunks{0}, missing{0}, fetched{0}, decoded{0}, placed{0};
};

struct ReadOptions {
  /// Chunks that go through the pipeline in lock step; 0: as many as are worth it, at most `mini_batch_bytes`. From 1,
  /// each on its own, to every_chunk.
  std::size_t mini_batch = 0;
  /// Decoded bytes of a mini-batch, at most, but one chunk at least; 0: 1 MiB on the host, 4 MiB with a device queue,
  /// 16 MiB and more where a device's codec decodes, so that two take an eighth of the device's free memory: up to
  /// 2 GiB of a store of device bytes, up to 512 MiB of one of host bytes. Where the store is neither memory nor files,
  /// a thread's share of 128 MiB, at least 8, if it has `get_many`, else up to 8 MiB of a shard; or no bound, if
  /// mini_batch says how many.
  std::size_t mini_batch_bytes = 0;
  /// Mini-batches that are under way at a time; 0: one per thread of the host's queue, and two more with a device
  /// queue, whose copies and kernels are behind; two where a device's codec decodes.
  std::size_t in_flight = 0;
  /// Bytes that all chunks under way may take, in memory of all spaces; 0: no bound but the others. The queue keeps
  /// them for later reads, and a mini-batch is fetched by one thread. Not among them: the values of shards that codecs
  /// stand behind, decoded. Throws: SelectionError, if one chunk takes more.
  std::uint64_t memory = 0;
  /// Ranges of one key, as of chunks in a shard, that are so many bytes apart at most are read at once, with what lies
  /// between them. nullopt: what is worth it, 256 in files and 4096 in a store that does not say.
  std::optional<std::uint64_t> max_gap{};
  /// Bytes that are read of a key at once, at most, but one chunk at least; 0: no bound but the mini-batch's. A shard
  /// of which every chunk is wanted is one read, its index with it, where this and a mini-batch have room for it.
  std::uint64_t max_request_bytes = 0;
  /// Once it is true no mini-batch begins, and the call ends with Cancelled: later from a store that is far, of which a
  /// mini-batch may be all that a thread has to do.
  std::atomic<bool> const* stop = nullptr;
  Progress progress{};
  Traffic* traffic = nullptr;  ///< added to, if given
};

namespace detail {

/// How a read asks a store: ReadOptions says what they mean.
struct FetchLimits {
  explicit FetchLimits(ReadOptions const& options)
      : max_gap{options.max_gap},
        max_request_bytes{options.max_request_bytes ? options.max_request_bytes : ~std::uint64_t{0}} {}

  std::optional<std::uint64_t> max_gap;
  std::uint64_t max_request_bytes;
};

}  // namespace detail

}}  // namespace tessera::v0
