// Locating and fetching the chunks of a mini-batch, in parts, each by a thread.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <span>

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
    count_ = std::min(threads, std::max<std::size_t>(all.size() * source.form.decoded_size / worth_a_thread, 1));
    while (parts_.size() < count_) parts_.emplace_back();
    on.host().for_each(count_, [&](std::size_t i) {
      auto const first = cut(all, i), end = cut(all, i + 1);
      if (first < end) parts_[i].run(source, limits, all.subspan(first, end - first), count_, stop, place, on);
    });
  }

  /// As ShardLocator's.
  bool failed_together() const {
    return std::any_of(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(count_),
                       [](Part const& part) { return part.locate.failed_together(); });
  }
  /// As ChunkFetcher's.
  void give_back(Queue& on) {
    for (auto& part : parts_) part.fetch.give_back(on);
  }

 private:
  static constexpr std::size_t worth_a_thread = 1 << 20;  // bytes, decoded

  struct Part {
    WatchedShards watched;
    ShardLocator<P> locate;
    ChunkFetcher<P> fetch;

    void run(Source const& source, FetchLimits const& limits, Chunks chunks, std::size_t of,
             std::atomic<bool> const* stop, FunctionRef<void(ChunkRead<P> const&)> place, Queue& on) {
      locate.begin();
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

  // Where part i begins: no shard is in two.
  std::size_t cut(Chunks all, std::size_t i) const {
    auto at = all.size() * i / count_;
    while (at > 0 && at < all.size() && all[at].key.path == all[at - 1].key.path) ++at;
    return at;
  }

  std::deque<Part> parts_;
  std::size_t count_ = 0;  // of those that are used
};

}}}  // namespace tessera::v0::detail
