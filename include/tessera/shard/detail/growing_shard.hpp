// GrowingShard: a new shard written part by part, for when its encoded chunks do not fit into memory together.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/pipeline/detail/shard_index.hpp>
#include <tessera/shard/detail/grid.hpp>
#include <tessera/shard/detail/packing.hpp>
#include <tessera/store/detail/erased_store.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Parts come in the order of the index, so the value is the same as if written at once. Until it is finished it is no
/// shard: nothing else may read or write the array yet. Holds the index and one part.
template <MemorySpace S>
class GrowingShard {
  using Queue = queue_for<S>;

 public:
  /// One level of shards, their index at the end, no codecs behind them, and a store that appends.
  static bool suits(ShardGrid const& grid, ErasedStore<S> const& store) {
    auto const& levels = grid.levels();
    return levels.size() == 1 && !levels.front().index->at_start() && !levels.front().behind && store.can.appends;
  }

  /// Requires: all arguments outlive this; suits(grid, store); the key does not exist.
  GrowingShard(ShardGrid const& grid, ErasedWritableStore<S> const& store, Key const& key)
      : grid_{grid}, store_{store}, key_{key}, entries_(index().entries()) {}

  // The interface of ShardBuilder, for code that writes chunks.
  std::uint64_t number_of(Extents const& chunk) const { return grid_.entry(0, chunk); }
  ByteView<S> chunk(std::uint64_t) const { return {}; }
  void erase(std::uint64_t) {}
  ByteSpan<S> destination(std::size_t size, Queue& on) {
    std::unique_lock lock{mutex_};
    if (used_ == blocks_.size()) blocks_.emplace_back();
    auto& block = blocks_[used_++];
    lock.unlock();
    return block.take(std::max<std::size_t>(size, 1), on).sub(0, size);
  }
  void put(std::uint64_t number, ByteView<S> bytes) {
    std::lock_guard lock{mutex_};
    part_.push_back({number, bytes});
  }

  /// Writes the chunks put so far, behind the parts before. Throws: StoreError.
  void flush(Queue& on) {
    if (part_.empty()) return;
    std::sort(part_.begin(), part_.end(), [](Chunk const& a, Chunk const& b) { return a.number < b.number; });
    std::uint64_t sum = 0;
    for (auto const& [number, bytes] : part_) {
      entries_[static_cast<std::size_t>(number)] = {size_ + sum, bytes.size};
      sum += bytes.size;
    }
    auto to = value_.take(checked_size(sum, "a part of a shard"), on);
    packing_.begin();
    for (auto const& chunk : part_) {
      packing_.add(chunk.bytes, to.sub(0, chunk.bytes.size));
      to = to.sub(chunk.bytes.size, to.size - chunk.bytes.size);
    }
    put_behind(static_cast<std::size_t>(sum), on);
    part_.clear();
    used_ = 0;
  }

  /// Writes the last part and the index; nothing, if the shard has no chunk. Throws: StoreError.
  void finish(Queue& on) {
    flush(on);
    if (std::ranges::all_of(entries_, &ShardEntry::is_missing)) return;
    auto const size = index().size();
    auto const to = value_.take(size, on);
    packing_.begin();
    index().encode(entries_, packing_.room(to), queue_in<space::Host>(on));
    put_behind(size, on);
  }

 private:
  struct Chunk {
    std::uint64_t number;
    ByteView<S> bytes;
  };

  ShardIndexFormat const& index() const { return *grid_.levels().front().index; }

  void put_behind(std::size_t size, Queue& on) {
    packing_.finish(on);
    ByteView<S> const value = value_.take(size, on);  // the same memory again
    if (!is_begun_) {
      store_.write(key_, value, on);
    } else if (!store_.append(key_, value, size_, on)) {
      throw StoreError{"another writer changed the shard while it was written in parts"}.in_key(key_.path);
    }
    on.wait();  // the memory is used again
    is_begun_ = true;
    size_ += size;
  }

  ShardGrid const& grid_;
  ErasedWritableStore<S> const& store_;
  Key const& key_;
  std::vector<ShardEntry> entries_;
  bool is_begun_ = false;
  std::uint64_t size_ = 0;  // bytes in the store
  Scratch<S> value_;
  Packing<S> packing_;
  std::mutex mutex_;  // guards the members below
  std::vector<Chunk> part_;
  std::deque<Scratch<S>> blocks_;
  std::size_t used_ = 0;
};

}}}  // namespace tessera::v0::detail
