// ReadOptions and Traffic: how to read, and counters of the data moved. WriteOptions: how to write. CompactOptions:
// options of AnyArray::compact. with_defaults: options for all reads and writes of a scope, also in functions that the
// program cannot change.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/option.hpp>
#include <tessera/transfer/detail/batches.hpp>

namespace tessera { inline namespace v0 {

/// Counters of a read: chunks, missing chunks, and bytes fetched from the store, decoded by codecs, and placed element
/// by element.
struct Traffic {
  std::atomic<std::uint64_t> chunks{0}, missing{0}, fetched{0}, decoded{0}, placed{0};
};

/// Options of one call, or of a handle (`array.with`) for all its calls. A member given to the call overrides the
/// handle's. A call that gives one of `mini_batch` and `mini_batch_bytes` overrides both.
struct ReadOptions {
  /// Chunks that pass through the pipeline in lock step, from 1 (each on its own) to every_chunk; 0: as many as are
  /// useful, within `mini_batch_bytes`.
  Option<std::size_t> mini_batch{};
  /// Most decoded bytes of a mini-batch, but at least one chunk. 0: 1 MiB on the host, 4 MiB with a device queue; where
  /// a device codec decodes, at least 16 MiB, so that two mini-batches use an eighth of the device's free memory, up to
  /// 2 GiB from a store in device memory, up to 512 MiB from one in host memory. For a store that is neither memory nor
  /// files: with `get_many`, a thread's share of 128 MiB, at least 8 MiB; otherwise up to 8 MiB of a shard. No bound,
  /// if mini_batch is given.
  Option<std::size_t> mini_batch_bytes{};
  /// Mini-batches in progress at a time; 0: one per thread of the host queue, plus two with a device queue, whose
  /// copies and kernels run later; two where a device codec decodes.
  Option<std::size_t> in_flight{};
  /// Bytes of memory for all chunks in progress, over all spaces; 0: bounded by the other options only. The queue keeps
  /// this memory for later reads; one thread fetches a mini-batch. Includes shard indexes, 16 bytes per inner chunk,
  /// but not the kept ones of shards read before (64 MiB, or as keep_shard_indexes sets), nor decoded values of shards
  /// with codecs after sharding_indexed. Throws: BudgetError, if one chunk needs more.
  Option<std::uint64_t> memory{};
  /// Ranges of one key (such as chunks in a shard) at most this many bytes apart are read at once, with the bytes
  /// between. nullopt: the store's own number, 256 for files, or 4096 for a store without one.
  Option<std::optional<std::uint64_t>> max_gap{};
  /// Most bytes of a key read at once, but at least one chunk; 0: bounded by the mini-batch. A shard of which every
  /// chunk is needed is one read, with its index, if this and a mini-batch allow it.
  Option<std::uint64_t> max_request_bytes{};
  /// Once true, no mini-batch begins, and the call ends with Cancelled. Waits for a server, for a lock, or for another
  /// thread's read of an index check it several times a second.
  Option<std::atomic<bool> const*> stop{};
  /// Called with the number of chunks that are done, and of all chunks, by one thread at a time. An exception from it
  /// ends the call.
  Option<Progress> progress{};
  Option<Traffic*> traffic{};  ///< added to, if given
};

namespace detail {

/// Limits of a read's requests to a store; see ReadOptions.
struct FetchLimits {
  explicit FetchLimits(ReadOptions const& options);

  std::optional<std::uint64_t> max_gap;
  std::uint64_t max_request_bytes;
  Stop stop;
};

}  // namespace detail

/// As in ReadOptions, for a write. A chunk written in part is a mini-batch of its own. Where a device codec encodes, a
/// mini-batch has at most 512 MiB.
struct WriteOptions {
  /// Sizes of mini-batches, and how many are in progress at a time; of shards, how many shards.
  Option<std::size_t> mini_batch{}, mini_batch_bytes{}, in_flight{};
  Option<std::uint64_t> memory{};           ///< bytes for all chunks in progress; 0: bounded by the other options only
  Option<std::atomic<bool> const*> stop{};  ///< once true, no mini-batch begins, and the call ends with Cancelled
  Option<Progress> progress{};              ///< called with the chunks done and all chunks; of shards, with shards
  Option<bool> store_fill_chunks{};  ///< also write chunks that hold only the fill value; false: erase their keys
  /// When part of a shard is written, append its new chunks and a new index in place, without reading or writing other
  /// chunks. Replaced chunks stay in the shard until it is compacted. This is not atomic: a process that reads the
  /// shard meanwhile, or after this one was killed during the append, may find a damaged index (CodecError, with the
  /// key; CompactOptions::recovered). Shards in which a damaged index could not be detected are replaced as usual:
  /// those whose index is at the start, has no checksum (crc32c, last), or is as long as that of shards inside them. So
  /// are shards with codecs after sharding_indexed, in stores that are no AppendableStore, and in files with several
  /// hard links.
  Option<bool> append_to_shards{};
};

/// Options of AnyArray::compact.
struct CompactOptions {
  std::size_t in_flight = 0;                ///< shards in progress at a time; 0: one per thread of the host queue
  std::uint64_t memory = 0;                 ///< bytes of memory for these shards, at most; 0: no limit
  std::atomic<bool> const* stop = nullptr;  ///< once true, no shard begins, and the call ends with Cancelled
  Progress progress{};                      ///< counts shards
  /// If set, a shard that does not end in an index, because an append was interrupted, is truncated after its last
  /// valid index, which restores its state before. Called with its key, by one thread at a time. If not set, such a
  /// shard is an error, as it always is if the index has no checksum, or is as long as an index inside the shard, which
  /// could be mistaken for it.
  std::function<void(std::string const&)> recovered{};
};

/// Options for calls that do not set them, through handles that do not either (`array.with`).
struct Defaults {
  ReadOptions read{};    ///< of reads
  WriteOptions write{};  ///< of writes
};

namespace detail {

/// The given options, completed by those of `usual`.
TESSERA_DECL ReadOptions completed(ReadOptions given, ReadOptions const& usual);
TESSERA_DECL WriteOptions completed(WriteOptions given, WriteOptions const& usual);

/// The options of this thread's innermost scope, completed by those of the scopes around it; null: no scope.
TESSERA_DECL Defaults const*& defaults_of_scope();

/// `inner`, completed by the scope around it, until the object ends.
class DefaultsScope {
 public:
  explicit DefaultsScope(Defaults const& inner);
  DefaultsScope(DefaultsScope const&) = delete;
  DefaultsScope& operator=(DefaultsScope const&) = delete;
  ~DefaultsScope();

 private:
  Defaults all_;
  Defaults const* around_;
};

}  // namespace detail

/// Calls f() and returns its result. Reads and writes that this thread begins meanwhile use the options:
///
///     with_defaults(ReadOptions{.memory = 1 << 30, .stop = &cancelled}, [&] { train(array); });
///
/// A call's own options come first, then those of its handle, of this scope, and of the scopes around it. Threads that
/// f starts have no defaults; pass them on by `with_defaults(defaults(), f)`, where `defaults()` is called in the
/// thread of this scope. A read_async, a write_async and a Loader that begin in the scope keep its options.
template <class F>
decltype(auto) with_defaults(Defaults const& options, F&& f) {
  detail::DefaultsScope const scope{options};
  return std::forward<F>(f)();
}
template <class F>
decltype(auto) with_defaults(ReadOptions const& options, F&& f) {
  return with_defaults(Defaults{.read = options}, std::forward<F>(f));
}
template <class F>
decltype(auto) with_defaults(WriteOptions const& options, F&& f) {
  return with_defaults(Defaults{.write = options}, std::forward<F>(f));
}

/// The options of the scopes that this thread is in, for another thread.
inline Defaults defaults() {
  auto const* const of_scope = detail::defaults_of_scope();
  return of_scope ? *of_scope : Defaults{};
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/options.ipp>
#endif
