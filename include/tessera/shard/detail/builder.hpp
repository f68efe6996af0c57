// ShardBuilder: composes a shard from its encoded chunks, old and new, and writes it.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/pipeline/detail/shard_index.hpp>
#include <tessera/shard/detail/entries.hpp>
#include <tessera/shard/detail/grid.hpp>
#include <tessera/shard/detail/packing.hpp>
#include <tessera/store/detail/erased_store.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// For stores in memory space S. A queue keeps it, and the next shard uses its memory again. Chunks are numbered in the
/// order of the index entries, those of the first inner shard first.
template <MemorySpace S>
class ShardBuilder {
  using Host = space::Host;
  using Queue = queue_for<S>;

 public:
  void begin(ShardGrid const& grid) {
    grid_ = &grid;
    std::uint64_t count = 1;
    for (auto const& level : grid.levels())
      count = checked_product(count, level.index->entries(), "the inner chunks of a shard");
    chunks_.assign(checked_size(count, "the inner chunks of a shard"), {});
    used_ = 0;
    draft_ = {};
  }

  /// Takes host memory for a whole new shard, whose chunks have at most `bound` bytes together. Chunks that come in the
  /// order of the index then lie where the shard needs them, and are not copied. Pages that stay empty cost nothing; a
  /// memory resource of the program might clear or hold them, so its memory is taken as chunks come. So it is if the
  /// system refuses so many addresses.
  void draft(std::uint64_t bound, Queue& on) {
    if constexpr (std::same_as<S, Host>) {
      if (!is_last(0) || on.resource() != std::pmr::new_delete_resource()) return;
      try {
        draft_ = old_.take(checked_size(bound + format(0).size(), "a shard"), on);
      } catch (HostOutOfMemory const&) {  // memory is taken as chunks come
      }
      drafted_ = format(0).at_start() ? format(0).size() : 0;
    }
  }

  std::uint64_t number_of(Extents const& chunk) const {
    std::uint64_t number = 0;
    for (std::size_t level = 0; level < grid_->levels().size(); ++level)
      number = number * grid_->levels()[level].index->entries() + grid_->entry(level, chunk);
    return number;
  }

  /// Loads the present shard, or `part` of its value, if its key exists. Throws: CodecError, if it is damaged;
  /// StoreError.
  void load(ErasedStore<S> const& store, Key const& key, Queue& on, Stop stop, ByteRange part = {}) {
    ByteSpan<S> value;
    auto destination = [&](std::size_t n) { return value = old_.take(n, on); };
    if (store.read(key, part, {destination, ReadLimits{part.size, stop}}, on))
      read_level(0, 0, {0, value.size}, value, 0, {store, key, on, stop});
  }

  /// Instead of load: reads only the shard's index, for `renew` and `append`. False: the shard does not exist.
  bool open(ErasedStore<S> const& store, Key const& key, Queue& on, Stop stop) {
    auto const size = store.size(key, on);
    if (!size) return false;
    size_ = *size;
    before_ = read_entries(format(0), {0, size_}, parts_in(store, key, on, stop), on.host());
    entries_ = before_;
    return true;
  }

  /// Replaces the contents of an entry of the shard's index; with `keeps`, the old contents are loaded first.
  void renew(std::uint64_t entry, bool keeps, ErasedStore<S> const& store, Key const& key, Queue& on, Stop stop) {
    auto const old = std::exchange(entries_[entry], {});
    if (!keeps || old.is_missing()) return;
    ByteSpan<S> value;
    auto into = [&](std::size_t n) { return value = destination(n, on); };
    store.read(key, {old.offset, old.size}, {into, ReadLimits{old.size, stop}}, on);
    if (value.size != old.size)
      throw CodecError{to_text({"the shard became shorter while it was read: found ", value.size, " bytes from byte ",
                                old.offset, " on, expected ", old.size})};
    if (is_last(0))
      chunks_[entry] = value;
    else
      read_level(1, entry, old, value, old.offset, {store, key, on, stop});
  }

  /// Appends the renewed contents and a new index to the shard; erases a shard that has no chunk left. False: the store
  /// did nothing. The value is in use until the queue is done.
  bool append(ErasedWritableStore<S> const& store, Key const& key, Queue& on) {
    auto const& index = format(0);
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < entries_.size(); ++i)
      if (auto const size = size_of(1, i)) entries_[i] = {size_ + sum, *size}, sum += *size;
    if (entries_ == before_) return true;
    if (std::ranges::all_of(entries_, &ShardEntry::is_missing)) {
      store.erase(key, on);
      return true;
    }
    auto const value = value_.take(checked_size(sum + index.size(), "a shard"), on);
    packing_.begin();
    for (std::uint64_t i = 0; i < entries_.size(); ++i)
      if (size_of(1, i)) compose(1, i, value, entries_[i].offset - size_, on);
    put_index(index, entries_, value.sub(sum, index.size()), on);
    packing_.finish(on);
    return store.append(key, value, size_, on);
  }

  /// Composes the shard and writes it, or erases it if it has no chunk. Returns its size in bytes. The value is in use
  /// until the queue is done.
  std::uint64_t store(ErasedWritableStore<S> const& store, Key const& key, Queue& on) {
    auto const size = size_of(0, 0);
    if (!size) {
      store.erase(key, on);
      return 0;
    }
    auto const bytes = checked_size(*size, "a shard");
    auto const value = is_drafted(bytes) ? draft_.sub(0, bytes) : value_.take(bytes, on);
    packing_.begin();
    compose(0, 0, value, 0, on);
    packing_.finish(on);
    store.write(key, value, on);
    return *size;
  }

  ByteView<S> chunk(std::uint64_t number) const { return chunks_[number]; }
  void erase(std::uint64_t number) { chunks_[number] = {}; }

  /// Memory for a batch of chunks. For any thread.
  ByteSpan<S> destination(std::size_t size, Queue& on) {
    std::unique_lock lock{mutex_};
    if (draft_.data && size <= draft_.size - drafted_)
      return draft_.sub(std::exchange(drafted_, drafted_ + size), size);
    if (used_ == blocks_.size()) blocks_.emplace_back();
    auto& block = blocks_[used_++];
    lock.unlock();
    return block.take(std::max<std::size_t>(size, 1), on).sub(0, size);  // not null for a chunk of 0 bytes
  }
  void put(std::uint64_t number, ByteView<S> bytes) { chunks_[number] = bytes; }

 private:
  struct Source {
    ErasedStore<S> const& store;
    Key const& key;
    Queue& on;
    Stop stop;
  };

  ShardIndexFormat const& format(std::size_t level) const { return *grid_->levels()[level].index; }
  bool is_last(std::size_t level) const { return level + 1 == grid_->levels().size(); }

  // Loads the shard at `place` of a value; `bytes` holds the value from byte `first` on. `number` counts the shards of
  // its level.
  void read_level(std::size_t level, std::uint64_t number, ShardEntry const& place, ByteView<S> bytes,
                  std::uint64_t first, Source const& source) {
    auto const part = [&](std::uint64_t offset, ByteSpan<Host> to) {
      if constexpr (std::same_as<S, Host>)
        std::memcpy(to.data, bytes.data + (offset - first), to.size);
      else
        parts_in(source.store, source.key, source.on, source.stop)(offset, to);
    };
    auto const entries = read_entries(format(level), place, part, source.on.host());
    for (std::uint64_t i = 0; i < entries.size(); ++i) {
      if (entries[i].is_missing()) continue;
      auto const below = number * entries.size() + i;
      if (is_last(level))
        chunks_[below] = bytes.sub(entries[i].offset - first, entries[i].size);
      else
        read_level(level + 1, below, entries[i], bytes, first, source);
    }
  }

  // In bytes; nullopt: no chunk.
  std::optional<std::uint64_t> size_of(std::size_t level, std::uint64_t number) const {
    if (level == grid_->levels().size()) {
      auto const chunk = chunks_[number];
      return chunk.data ? std::optional<std::uint64_t>{chunk.size} : std::nullopt;
    }
    std::uint64_t sum = format(level).size();
    bool has_any = false;
    for (std::uint64_t i = 0, n = format(level).entries(); i < n; ++i)
      if (auto const size = size_of(level + 1, number * n + i)) sum += *size, has_any = true;
    return has_any ? std::optional{sum} : std::nullopt;
  }

  // Whether all chunks of a shard of that size lie in the draft where compose puts them.
  bool is_drafted(std::size_t size) const {
    if (!draft_.data || size > draft_.size) return false;
    auto at = format(0).at_start() ? format(0).size() : 0;
    return std::ranges::all_of(chunks_, [&](ByteView<S> const& chunk) {
      return !chunk.data || chunk.data == draft_.data + std::exchange(at, at + chunk.size);
    });
  }

  // Puts a shard or a chunk at byte `at` of the value: chunks in the order of their entries, so that the same elements
  // always give the same file.
  void compose(std::size_t level, std::uint64_t number, ByteSpan<S> value, std::uint64_t at, Queue& on) {
    if (level == grid_->levels().size()) {
      auto const chunk = chunks_[number];
      return packing_.add(chunk, value.sub(at, chunk.size));
    }
    auto const& index = format(level);
    std::vector<ShardEntry> entries(index.entries());
    auto offset = index.at_start() ? std::uint64_t{index.size()} : 0;
    for (std::uint64_t i = 0; i < entries.size(); ++i) {
      auto const below = number * entries.size() + i;
      auto const size = size_of(level + 1, below);
      if (!size) continue;
      entries[i] = {offset, *size};
      compose(level + 1, below, value, at + offset, on);
      offset += *size;
    }
    put_index(index, entries, value.sub(index.at_start() ? at : at + offset, index.size()), on);
  }

  void put_index(ShardIndexFormat const& index, std::vector<ShardEntry> const& entries, ByteSpan<S> to, Queue& on) {
    index.encode(entries, packing_.room(to), queue_in<Host>(on));
  }

  ShardGrid const* grid_ = nullptr;
  std::vector<ByteView<S>> chunks_;           // no data: missing
  std::uint64_t size_ = 0;                    // of the open shard
  std::vector<ShardEntry> before_, entries_;  // of its index, old and new
  Scratch<S> old_, value_;  // old_: the present shard, or the draft of a new one
  ByteSpan<S> draft_{};  // none: chunks go to `blocks_`
  Packing<S> packing_;
  std::mutex mutex_;
  std::size_t drafted_ = 0;  // where the draft's next chunk goes
  std::deque<Scratch<S>> blocks_;  // memory of new chunks
  std::size_t used_ = 0;
};

}}}  // namespace tessera::v0::detail
