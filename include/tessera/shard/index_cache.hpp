// Indexes of shards that were read, each once: where the inner chunks of an array are.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tessera/core/function_ref.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/pipeline/shard_index.hpp>
#include <tessera/shard/grid.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/watch.hpp>

namespace tessera { inline namespace v0 {

/// Reads part of a shard's value into host memory and returns how many bytes there were; nullopt: there is no shard.
using ReadPart = FunctionRef<std::optional<std::size_t>(ByteRange, Destination<space::Host>)>;

/// Threads share it. It keeps the indexes that were asked for last.
class ShardIndexCache {
 public:
  /// Keeps so many bytes of indexes, or a single shard's.
  ShardIndexCache(std::vector<ShardLevel> const& levels, std::uint64_t most) : grid_{levels}, most_{most} {}

  ShardGrid const& grid() const { return grid_; }

  /// Where a chunk lies in its shard's value; nullopt: it is missing. This is so if there are no changes since
  /// `sequence`, which is set before the shard's index was read. One thread reads an index, others that need it wait;
  /// one that `changes` says is old is read anew; or, if it is known which value was `seen`, one that may be of
  /// another value. Throws: CodecError, if the index is damaged, or says what cannot be of this chunk; what `read`
  /// throws.
  std::optional<ByteRange> find(Key const& shard, Extents const& chunk, ReadPart read, SequenceCounter const& changes,
                                std::optional<std::uint64_t>& sequence, Queue<space::Host>& on,
                                ValueVersion const* seen = nullptr) {
    auto const outermost = index_of(shard, changes, seen);
    auto* index = outermost.get();
    ShardEntry place{0, ShardEntry::none - 1};  // of what the index is of; how large the outermost is nobody asks
    std::size_t level = 0;
    bool is_read = false;  // the shard's own: what is wrong after it is wrong with the chunk
    try {
      for (;; ++level) {
        auto const& format = *grid_.levels()[level].index;
        auto const number = grid_.entry(level, chunk);
        std::unique_lock lock{index->mutex};
        if (!index->is_read) {
          if (level == 0) sequence = index->sequence = changes.sequence();
          read_index(*index, format, level == 0 ? format.range() : range_in(place, format), read, on);
          grow(shard, *outermost, size_of(*index));
        }
        if (level == 0) sequence = index->sequence;
        is_read = true;
        if (index->entries.empty()) return std::nullopt;
        auto const entry = index->entries[number];
        entry.expect_within(place.size);
        if (entry.is_missing()) return std::nullopt;
        place = {place.offset + entry.offset, entry.size};
        if (level + 1 == grid_.levels().size()) return ByteRange{place.offset, place.size};
        auto& inner = index->inner[number];
        if (!inner) inner = std::make_unique<Index>();
        index = inner.get();
      }
    } catch (Error& error) {
      if (is_read) error.in_inner_chunk(to_string(chunk));
      throw;
    }
  }

  /// Forgets what it knows of a shard: the next find reads its index.
  void forget(Key const& shard) {
    std::lock_guard lock{mutex_};
    if (auto const found = known_.find(shard.path); found != known_.end()) drop(found->second);
  }

  /// Bytes of what it keeps.
  std::uint64_t size() const {
    std::lock_guard lock{mutex_};
    return size_;
  }

 private:
  struct Index {
    std::mutex mutex{};  // held while it is read
    bool is_read = false;
    std::atomic<std::uint64_t> sequence = SequenceCounter::unknown;     // before it was read, of the outermost
    std::vector<ShardEntry> entries{};                                  // none: there is no shard
    std::unordered_map<std::uint64_t, std::unique_ptr<Index>> inner{};  // of the shards in it, by their entries
  };
  struct Known {
    std::string shard;
    std::shared_ptr<Index> index;
    std::uint64_t size;  // bytes, with the shards in it
    std::optional<ValueVersion> version;
  };
  using Order = std::list<Known>;

  static std::uint64_t size_of(Index const& index) {
    return sizeof(Index) + index.entries.capacity() * sizeof(ShardEntry);
  }

  std::shared_ptr<Index> index_of(Key const& shard, SequenceCounter const& changes, ValueVersion const* seen) {
    std::lock_guard lock{mutex_};
    auto const found = known_.find(shard.path);
    if (found != known_.end()) {
      auto const& known = *found->second;
      auto const sequence = known.index->sequence.load();
      bool const is_same = seen ? known.version && known.version->is_same(*seen)
                                : sequence == SequenceCounter::unknown || changes.none_since(sequence);
      if (is_same) {
        order_.splice(order_.begin(), order_, found->second);
        return order_.front().index;
      }
      drop(found->second);
    }
    order_.push_front({shard.path, std::make_shared<Index>(), sizeof(Known) + 2 * shard.path.size(),
                       seen ? std::optional{*seen} : std::nullopt});
    known_[shard.path] = order_.begin();
    size_ += order_.front().size;
    return order_.front().index;
  }

  // An index was read of the shard. What it keeps least long has to go where there is too much.
  void grow(Key const& shard, Index const& outermost, std::uint64_t size) {
    std::lock_guard lock{mutex_};
    auto const found = known_.find(shard.path);
    if (found == known_.end() || found->second->index.get() != &outermost) return;  // forgotten meanwhile
    found->second->size += size;
    size_ += size;
    while (size_ > most_ && order_.size() > 1) drop(std::prev(order_.end()));
  }

  void drop(Order::iterator known) {
    size_ -= known->size;
    known_.erase(known->shard);
    order_.erase(known);
  }

  static ByteRange range_in(ShardEntry const& place, ShardIndexFormat const& format) {
    if (place.size < format.size())
      throw CodecError{
          text({"an inner shard of ", place.size, " bytes, expected at least its index of ", format.size()})};
    return {format.at_start() ? place.offset : place.offset + place.size - format.size(), format.size()};
  }

  static void read_index(Index& index, ShardIndexFormat const& format, ByteRange range, ReadPart read,
                         Queue<space::Host>& on) {
    std::vector<std::byte> bytes;
    auto const destination = [&](std::size_t n) -> ByteSpan<space::Host> {  // a document alone takes no memory
      if (n != format.size())
        throw CodecError{text({"the shard's index: found ", n, " bytes, expected ", format.size()})};
      bytes.resize(n);
      return {bytes.data(), n};
    };
    if (read(range, destination)) {
      std::vector<ShardEntry> entries(format.entries());
      format.decode({bytes.data(), bytes.size()}, entries, on);
      index.entries = std::move(entries);
    }
    index.is_read = true;
  }

  ShardGrid grid_;
  std::uint64_t const most_;  // bytes
  mutable std::mutex mutex_;
  std::uint64_t size_ = 0;
  Order order_;  // the one that was asked for last first
  std::unordered_map<std::string, Order::iterator> known_;
};

}}  // namespace tessera::v0
