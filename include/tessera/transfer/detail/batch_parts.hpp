// BatchParts: locates and fetches the chunks of a mini-batch in parts, one thread for each.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <tessera/core/detail/function_ref.hpp>
#include <tessera/shard/detail/watched_shards.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>
#include <tessera/transfer/detail/chunk_fetcher.hpp>
#include <tessera/transfer/detail/chunk_read.hpp>
#include <tessera/transfer/detail/consistent_shards.hpp>
#include <tessera/transfer/detail/shard_locator.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A queue keeps its buffers for reuse.
template <class P>
class BatchParts {
  using Source = ChunkAccess<P>;
  using Chunks = std::span<ChunkRead<P>>;
  using Queue = typename P::queue_type;

 public:
  /// Gets the values of all chunks, with at most `threads` threads. Calls `place` for each tile as soon as it is read,
  /// on one thread. Throws: CodecError, StoreError, Cancelled.
  void run(Source const& source, FetchLimits const& limits, Chunks all, std::size_t threads,
           std::atomic<bool> const* stop, FunctionRef<void(ChunkRead<P> const&)> place, Queue& on) {
    divide(all, std::min(threads, std::max<std::size_t>(all.size() * source.form.decoded_size / worth_a_thread, 1)));
    for (auto& part : parts_) part->locate.begin();
    on.host().for_each(chunks_.size(), [&](std::size_t i) {
      parts_[i]->run(source, limits, chunks_[i], chunks_.size(), stop, place, on);
    });
  }

  /// As in ShardLocator.
  bool failed_together() const {
    return std::ranges::any_of(parts_, [](auto const& part) { return part->locate.failed_together(); });
  }
  /// As in ChunkFetcher.
  void give_back(Queue& on) {
    for (auto& part : parts_) part->fetch.give_back(on);
  }

 private:
  static constexpr std::size_t worth_a_thread = 1 << 20;  // decoded bytes, approximately

  struct Part {
    WatchedShards watched;
    ShardLocator<P> locate;
    ChunkFetcher<P> fetch;

    void run(Source const& source, FetchLimits const& limits, Chunks chunks, std::size_t of,
             std::atomic<bool> const* stop, FunctionRef<void(ChunkRead<P> const&)> place, Queue& on) {
      fetch.begin(source, chunks, of, on);
      for (auto const few : runs_of_few_shards(source, chunks, on)) {
        ConsistentShards<P> shards{source, few, watched, stop};
        while (shards.next()) try {
            locate.run(source, limits, shards.chunks(), watched, on);
            fetch.run(source, limits, shards.chunks(), watched, place, on);
          } catch (Error const&) {
            if (!shards.was_replaced()) throw;  // else the shard is read again
          }
      }
    }
  };

  // Divides chunks into at most `most` parts, without splitting a shard. Reuses parts only if their sizes are the same,
  // or each would keep memory for the most it ever had.
  void divide(Chunks all, std::size_t most) {
    auto const before = chunks_.size();
    bool is_same = true;
    std::size_t count = 0, begin = 0;
    for (std::size_t i = 1; i <= most; ++i) {
      auto end = all.size() * i / most;
      while (end > 0 && end < all.size() && all[end].key.path == all[end - 1].key.path) ++end;
      if (end <= begin) continue;
      if (count == chunks_.size()) chunks_.emplace_back();
      is_same = is_same && chunks_[count].size() == end - begin;
      chunks_[count++] = all.subspan(begin, end - begin);
      begin = end;
    }
    chunks_.resize(count);
    if ((!is_same || count != before) && std::max(before, count) > 1) parts_.clear();
    while (parts_.size() < count) parts_.push_back(std::make_unique<Part>());
  }

  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<Chunks> chunks_;  // of each part
};

}}}  // namespace tessera::v0::detail
