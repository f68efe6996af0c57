// BatchParts: locates and fetches the chunks of a mini-batch in parts, one thread for each.
// ConsistentShards: reads shards that writers may replace meanwhile, with index and chunks of the same version.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <tessera/core/detail/first_of.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/detail/runs.hpp>
#include <tessera/shard/detail/watched_shards.hpp>
#include <tessera/store/locks.hpp>
#include <tessera/transfer/detail/batches.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>
#include <tessera/transfer/detail/chunk_fetcher.hpp>
#include <tessera/transfer/detail/chunk_read.hpp>
#include <tessera/transfer/detail/shard_locator.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Runs of chunks of a few shards, for a loop; without shards, one run, or runs of a few values that are read in two
/// steps. Limits the indexes in memory, and the open files, one per watched value, to a few hundred for all threads.
template <class P>
auto runs_of_few_shards(ChunkAccess<P> const& source, std::span<ChunkRead<P>> all, typename P::queue_type& on) {
  constexpr std::size_t most_bytes = 4 << 20;  // of encoded indexes
  auto const most_files = std::clamp<std::size_t>(256 / on.host().threads(), 1, 8);
  std::size_t most = 0;  // no limit
  if (source.shards) {
    most = std::max<std::size_t>(most_bytes / source.shards->grid().levels().front().index->size(), 1);
    if (source.store.can.watches) most = std::min(most, most_files);
  } else if (source.reads_indexes() && std::ranges::any_of(all, [](auto const& chunk) { return chunk.has_index; })) {
    most = most_files;
  }
  return Runs{all, [most](std::span<ChunkRead<P> const> left) {
                if (most == 0) return left.size();
                std::size_t shards = 1;
                for (std::size_t end = 1; end < left.size(); ++end)
                  if (left[end].key.path != left[end - 1].key.path && ++shards > most) return end;
                return left.size();
              }};
}

/// Chunks of a few shards, for a loop that reads them again if a shard was replaced between its index and its chunks:
/// the bytes read, or the error, are then meaningless. Shards replaced repeatedly are read one at a time, while locked.
template <class P>
class ConsistentShards {
  using Source = ChunkAccess<P>;
  using Chunks = std::span<ChunkRead<P>>;

 public:
  /// `watched`: the shards being read, until this ends.
  ConsistentShards(Source const& source, Chunks all, WatchedShards& watched, std::atomic<bool> const* stop)
      : source_{source}, left_{all}, watched_{watched}, stop_{stop} {}
  ConsistentShards(ConsistentShards&&) = delete;
  ~ConsistentShards() { watched_.clear(); }  // they belong to the store

  /// Whether there are chunks to read, for the first time or again. Throws: StoreError, with the key, if a shard is
  /// replaced on every try; Cancelled.
  bool next() {
    if (!chunks_.empty()) end();
    watched_.clear();
    lock_.reset();
    chunks_ = takes_locks_ ? *runs_of_shard(left_).begin() : left_;
    if (chunks_.empty()) return false;
    if (takes_locks_) lock_.emplace(source_.store.lock(chunks_.front().key, stop_));
    if (source_.shards || source_.reads_indexes()) begin();
    return true;
  }

  Chunks chunks() const { return chunks_; }
  /// Whether what was read last is read again: its bytes are not used any more.
  bool is_again() const { return is_again_; }

  /// After an error: whether a shard was replaced, so that its chunks must be read again.
  bool was_replaced() { return was_replaced_ = !are_unchanged() || (source_.shards && is_written()); }

 private:
  void begin() {
    was_replaced_ = false;
    if (source_.shards)
      for (auto& chunk : chunks_) chunk.sequence.reset(), chunk.found = false;
    if (source_.store.can.watches) watched_.begin(source_, std::span<ChunkRead<P> const>{chunks_});
  }

  void end() {
    is_again_ = was_replaced_ || !are_unchanged();
    if (!is_again_) {
      left_ = left_.subspan(chunks_.size());
      tries_ = 0;
      return;
    }
    expect_going(stop_);
    ++tries_;
    if (!takes_locks_ && tries_ == 3) takes_locks_ = true, tries_ = 0;
    if (tries_ > 1000)
      of_slot(source_, chunks_.front(), [] {
        throw StoreError{"another writer, which takes no lock, replaced the shard after each read of its index"};
      });
  }

  bool are_unchanged() {
    auto const forget = [&](Key const& key) {
      if (source_.shards) source_.shards->forget(key);
    };
    if (source_.store.can.watches) return watched_.are_same(source_, forget);
    if (!source_.shards) return true;
    bool are = true;
    for (auto const& chunk : chunks_)
      if (is_changed(chunk)) forget(chunk.key), are = false;
    return are;
  }

  // Whether a shard was written during the read, perhaps by an append: then its end may be missing.
  bool is_written() const {
    return first_of(chunks_, [&](auto const& chunk) { return is_changed(chunk); }) != nullptr;
  }
  bool is_changed(ChunkRead<P> const& chunk) const {
    return chunk.sequence && !source_.store.changes(chunk.key).none_since(*chunk.sequence);
  }

  Source const& source_;
  Chunks left_;    // not read yet
  Chunks chunks_;  // being read
  WatchedShards& watched_;
  std::atomic<bool> const* stop_;
  std::optional<KeyLock> lock_;
  bool takes_locks_ = false, was_replaced_ = false, is_again_ = false;
  int tries_ = 0;
};

/// A queue keeps its buffers for reuse.
template <class P>
class BatchParts {
  using Source = ChunkAccess<P>;
  using Chunks = std::span<ChunkRead<P>>;
  using Queue = typename P::queue_type;

 public:
  /// Gets the values of all chunks, with at most `threads` threads. Calls `place` as ChunkFetcher does; so it needs
  /// `threads` to be 1 if host threads decode. Throws: CodecError, StoreError, Cancelled.
  void run(Source const& source, FetchLimits const& limits, Chunks all, std::size_t threads,
           std::atomic<bool> const* stop, PlaceReady<P> place, Queue& on) {
    divide(all, std::min(threads, std::max<std::size_t>(all.size() * source.form.decoded_size / worth_a_thread, 1)));
    for (auto& part : parts_) part->locate.begin();
    if (chunks_.size() == 1) return parts_[0]->run(source, limits, chunks_[0], 1, stop, place, on);
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
             std::atomic<bool> const* stop, PlaceReady<P> place, Queue& on) {
      fetch.begin(source, chunks, of, on);
      for (auto const few : runs_of_few_shards(source, chunks, on)) {
        ConsistentShards<P> shards{source, few, watched, stop};
        auto before = locate.wholes();
        while (shards.next()) try {
            if (shards.is_again()) locate.keep_wholes(before);
            before = locate.wholes();
            locate.run(source, limits, shards.chunks(), watched, place, on);
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
