// CompactOptions: options of AnyArray::compact.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <tessera/transfer/read_options.hpp>

namespace tessera { inline namespace v0 {

struct CompactOptions {
  std::size_t in_flight = 0;                ///< shards under way at a time; 0: one per thread of the host queue
  std::uint64_t memory = 0;                 ///< bytes of memory for these shards, at most; 0: no limit
  std::atomic<bool> const* stop = nullptr;  ///< once true, no shard begins, and the call ends with Cancelled
  Progress progress{};                      ///< counts shards
  /// If set, a shard that does not end in an index, but has one further ahead, is cut back to that one: its state
  /// before an interrupted append. Called with its key, by one thread at a time. If not set, such a shard is an error;
  /// always so if the index has no checksum, or is as long as an index inside the shard, and hence could be found by
  /// mistake.
  std::function<void(std::string const&)> recovered{};
};

}}  // namespace tessera::v0
