// Locating and fetching the chunks of a mini-batch, in parts, each by a thread.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <tessera/core/function_ref.hpp>
#include <tessera/shard/watched_shards.hpp>
#include <tessera/transfer/chunk_access.hpp>
#include <tessera/transfer/chunk_fetcher.hpp>
#include <tessera/transfer/chunk_read.hpp>
#include <tessera/transfer/consistent_shards.hpp>
#include <tessera/transfer/read_options.hpp>
#include <tessera/transfer/shard_locator.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What it holds is kept by a queue and used again.
template <class P>
class BatchParts {
  using Source = ChunkAccess<P>;
  using Chunks = std::span<ChunkRead<P>>;
  using Queue = typename P::queue_type;

 public:
  /// The values of all chunks, by so many threads at most; a tile's is `place`d as soon as it is there, by one thread.
  /// Throws: CodecError, StoreError, Cancelled.
  void run(Source const& source, FetchLimits const& limits, Chunks all, std::size_t threads,
           std::atomic<bool> const* stop, FunctionRef<void(ChunkRead<P> const&)> place, Queue& on) {
    divide(all, std::min(threads, std::max<std::size_t>(all.size() * source.form.decoded_size / worth_a_thread, 1)));
    for (auto& part : parts_) part->locate.begin();
    on.host().for_each(chunks_.size(), [&](std::size_t i) {
      parts_[i]->run(source, limits, chunks_[i], chunks_.size(), stop, place, on);
    });
  }

  /// As ShardLocator's.
  bool failed_together() const {
    return std::ranges::any_of(parts_, [](auto const& part) { return part->locate.failed_together(); });
  }
  /// As ChunkFetcher's.
  void give_back(Queue& on) {
    for (auto& part : parts_) part->fetch.give_back(on);
  }

 private:
  static constexpr std::size_t worth_a_thread = 1 << 20;  // bytes, decoded, about

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
            if (!shards.was_replaced()) throw;  // else the error is nobody's
          }
      }
    }
  };

  // Into so many parts at most: no shard is in two. Parts that are used again have as many chunks as before, or each
  // would keep memory for the most that it ever had.
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
