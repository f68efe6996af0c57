#pragma once
#include <tessera/shard/detail/index_cache.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/pipeline/detail/shard_index.hpp>
#include <tessera/shard/detail/grid.hpp>
#include <tessera/store/detail/value_watch.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL ShardIndexCache::Claim::Claim(Claim&& other) noexcept
    : cache_{std::exchange(other.cache_, nullptr)},
      shard_{std::move(other.shard_)},
      index_{other.index_},
      level_{other.level_},
      range_{other.range_} {}

TESSERA_DECL void ShardIndexCache::Claim::keep(std::vector<ShardEntry> room, std::optional<std::size_t> bytes,
                                               Queue<Host>& on) {
  if (!bytes) room = {};
  if (bytes && *bytes != format().size())
    throw CodecError{to_text({"the shard's index: found ", *bytes, " bytes, expected ", format().size()})};
  if (bytes) detail::decode_in_place(format(), room, *bytes, on);
  std::exchange(cache_, nullptr)->keep(*shard_, *index_, std::move(room));
}

TESSERA_DECL void ShardIndexCache::Claim::keep(std::optional<ByteView<Host>> bytes, Queue<Host>& on) {
  if (!bytes) return keep({}, std::nullopt, on);
  auto copy = room(bytes->size);
  if (bytes->size > 0) std::memcpy(copy.data(), bytes->data, bytes->size);
  keep(std::move(copy), bytes->size, on);
}

TESSERA_DECL std::shared_ptr<ShardIndexCache::Shard> ShardIndexCache::open(Key const& key,
                                                                           SequenceCounter const& changes,
                                                                           ValueVersion const* seen) {
  std::lock_guard lock{mutex_};
  if (auto const found = known_.find(key.path); found != known_.end()) {
    auto const& shard = **found->second;
    bool const is_same = seen ? shard.seen_ && shard.seen_->is_same(*seen) : changes.none_since(shard.sequence_);
    if (is_same) {
      order_.splice(order_.begin(), order_, found->second);
      return order_.front();
    }
    drop(found->second);
  }
  Order fresh;  // spliced in when nothing can throw any more
  fresh.push_front(std::make_shared<Shard>(key.path, changes.sequence(), seen));
  known_[key.path] = fresh.begin();
  order_.splice(order_.begin(), fresh);
  size_ += order_.front()->size_;
  evict();
  return order_.front();
}

TESSERA_DECL void ShardIndexCache::wait(Shard& shard, Extents const& chunk, Stop stop) {
  std::unique_lock lock{mutex_};
  auto const is_read = [&] {
    auto const* const missing = descend(shard, chunk).missing;
    return !missing || missing->state != Index::State::claimed;
  };
  if (!stop) return claims_ended_.wait(lock, is_read);
  while (!claims_ended_.wait_for(lock, std::chrono::milliseconds{100}, is_read)) detail::expect_going(stop);
}

TESSERA_DECL void ShardIndexCache::forget(Key const& shard) {
  std::lock_guard lock{mutex_};
  if (auto const found = known_.find(shard.path); found != known_.end()) drop(found->second);
}

TESSERA_DECL std::uint64_t ShardIndexCache::size() const {
  std::lock_guard lock{mutex_};
  return size_;
}

TESSERA_DECL ShardIndexCache::Path ShardIndexCache::descend(Shard& shard, Extents const& chunk) const {
  auto* index = &shard.outermost_;
  ShardEntry place{0, ShardEntry::none - 1};
  for (std::size_t level = 0;; ++level) {
    if (index->state != Index::State::there) return {index, level, place, {}};
    if (index->entries.empty()) return {};
    auto const number = grid_.entry(level, chunk);
    auto const entry = index->entries[number];
    entry.expect_within(place.size);
    if (entry.is_missing()) return {};
    place = {place.offset + entry.offset, entry.size};
    if (level + 1 == grid_.levels().size()) return {nullptr, level, place, ByteRange{place.offset, place.size}};
    auto& inner = index->inner[number];
    if (!inner) inner = std::make_unique<Index>();
    index = inner.get();
  }
}

TESSERA_DECL ByteRange ShardIndexCache::range_in(ShardEntry const& place, ShardIndexFormat const& format) {
  if (place.size < format.size())
    throw CodecError{to_text(
        {"found an inner shard of ", place.size, " bytes, expected at least ", format.size(), " for its index"})};
  return {format.at_start() ? place.offset : place.offset + place.size - format.size(), format.size()};
}

TESSERA_DECL void ShardIndexCache::give_up(Index& index) {
  std::lock_guard lock{mutex_};
  index.state = Index::State::missing;
  claims_ended_.notify_all();
}

TESSERA_DECL void ShardIndexCache::keep(Shard& shard, Index& index, std::vector<ShardEntry> entries) {
  std::lock_guard lock{mutex_};
  auto const size = sizeof(Index) + entries.capacity() * sizeof(ShardEntry);
  index.entries = std::move(entries);
  index.state = Index::State::there;
  shard.size_ += size;
  auto const found = known_.find(shard.key_);
  if (found != known_.end() && found->second->get() == &shard) size_ += size;  // else it was dropped meanwhile
  evict();
  claims_ended_.notify_all();
}

TESSERA_DECL void ShardIndexCache::drop(Order::iterator shard) {
  size_ -= (*shard)->size_;
  known_.erase((*shard)->key_);
  order_.erase(shard);
}

}}  // namespace tessera::v0
