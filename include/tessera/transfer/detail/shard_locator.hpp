// ShardLocator: locates the values of a mini-batch, as whole keys or as ranges in shards.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/detail/first_of.hpp>
#include <tessera/core/error.hpp>
#include <tessera/shard/detail/index_cache.hpp>
#include <tessera/shard/detail/watched_shards.hpp>
#include <tessera/shard/detail/whole_shard.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/transfer/detail/batches.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>
#include <tessera/transfer/detail/chunk_read.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A queue keeps its buffers for reuse.
template <class P>
class ShardLocator {
  using AnyQueue = typename P::queue_type;
  using Source = ChunkAccess<P>;
  using bytes_space = typename P::bytes_space;
  using Host = space::Host;
  using Slot = ChunkRead<P>;
  static constexpr bool is_of_host = std::same_as<typename P::bytes_staging, Host>;

 public:
  /// Begins a mini-batch: located values are no longer used.
  void begin() { whole_.keep(0); }
  /// Whole shards read so far, and to use the memory of those read since again.
  std::size_t wholes() const { return whole_.used(); }
  void keep_wholes(std::size_t n) { whole_.keep(n); }

  /// Whether the store's error concerned several indexes without saying which, and so no single chunk.
  bool failed_together() const { return failed_together_; }

  /// Sets the range of each slot, or its bytes if already read. Chunks missing in a shard are not requested. New
  /// indexes are read together; those of nested shards, together for each depth.
  /// Calls `place` for the chunks of a whole shard that arrives, if the store tells. Throws: exceptions of `place`.
  void run(Source const& source, FetchLimits const& limits, std::span<Slot> all, WatchedShards& watched,
           PlaceReady<P> place, AnyQueue& on) {
    failed_together_ = false;
    for (auto& slot : all) {
      slot.is_placed = false;
      slot.encoded = {};
      slot.unread = 0;
      slot.range = slot.stored;
      slot.found = !source.shards;
    }
    if (!source.shards) return;
    struct End {
      ShardLocator& locator;
      ~End() {  // also ends the claims
        locator.wholes_.clear(), locator.reads_.clear(), locator.searches_.clear(), locator.shards_.clear();
      }
    } const end{*this};
    open(source, limits, all, watched);
    while (!searches_.empty()) {
      std::erase_if(searches_,
                    [&](Search const& search) { return search.slot->is_placed || is_located(source, search, on); });
      if (wholes_.empty() && reads_.empty() && !searches_.empty()) wait(source, searches_.front(), limits.stop);
      read_wholes(source, limits, place, on);
      read_indexes(source, limits, on);
    }
    if constexpr (is_of_host) take_wholes(source);
  }

 private:
  struct Shard {
    std::shared_ptr<ShardIndexCache::Shard> known;
    WatchedShard* watched;
    WholeShard* whole;  // null: it is read in parts
    std::span<Slot> slots;
  };
  // For a slot that is not located yet.
  struct Search {
    std::size_t shard;
    Slot* slot;
  };
  // Of one of the indexes that lead to the slot.
  struct IndexRead {
    ShardIndexCache::Claim claim;
    Search search;
    std::vector<ShardEntry> room{};  // its bytes, then decoded in place: an index may be large
    std::size_t size = 0;            // of these bytes
    bool is_settled = false;         // the claim has ended
    ByteSpan<Host> operator()(std::size_t n) {
      if (n > claim.range().size)
        throw CodecError{to_text({"the shard's index: found ", n, " bytes, expected ", claim.range().size})};
      room = claim.room(n);
      size = n;
      return bytes_in(room, n);
    }
  };

  Shard const& shard_of(Search const& search) const { return shards_[search.shard]; }

  // The shards of the slots; those of one shard are consecutive.
  void open(Source const& source, FetchLimits const& limits, std::span<Slot> all, WatchedShards& watched) {
    for (auto const slots : runs_of_shard(all)) {
      auto const& key = slots.front().key;
      auto* const seen = watched.of(key);
      if (seen && !seen->watch.version().is_there) continue;
      auto known = source.shards->open(key, source.store.changes(key), seen ? &seen->watch.version() : nullptr);
      for (auto& slot : slots) {
        slot.sequence = known->sequence();
        searches_.push_back({shards_.size(), &slot});
      }
      auto* const whole = is_taken_whole(source, limits, slots) ? &whole_.next() : nullptr;
      shards_.push_back({std::move(known), seen, whole, slots});
    }
  }

  // False: an index must be read first, alone or with its shard, by this thread (if now in `reads_` or `wholes_`) or by
  // another.
  bool is_located(Source const& source, Search const& search, AnyQueue& on) {
    auto const& shard = shard_of(search);
    auto& slot = *search.slot;
    std::optional<ByteRange> range;
    for (;;) {
      auto location = of_slot(source, slot, [&] { return source.shards->find(shard.known, slot.piece.chunk); });
      range = location.chunk;
      if (location.is_known) break;
      if (!location.claim) return false;
      IndexRead read{std::move(*location.claim), search};
      if (is_in_whole(source, read, on)) continue;
      bool const is_with_shard = shard.whole && shard.whole->state() == WholeShard::State::unread;
      (is_with_shard ? wholes_ : reads_).push_back(std::move(read));
      return false;
    }
    slot.found = range.has_value();
    if (!range) return true;
    slot.range = *range;
    of_slot(source, slot, [&] {
      expect_at_most(slot.range.size, most_encoded(source.form));
      if (slot.stored.is_whole()) return;
      expect_size(checked_size(slot.range.size, "a chunk"), source.form.encoded_bound(), 0);
      slot.range = {slot.range.offset + slot.stored.offset, slot.stored.size};
    });
    return true;
  }

  // Another thread is reading an index that leads to the slot.
  void wait(Source const& source, Search const& search, Stop stop) const {
    of_slot(source, *search.slot,
            [&] { source.shards->wait(*shard_of(search).known, search.slot->piece.chunk, stop); });
  }

  // Reads whole shards, all at once, and settles the claims from their bytes. If one is too large, all are read in
  // parts.
  void read_wholes(Source const& source, FetchLimits const& limits, PlaceReady<P> place, AnyQueue& on) {
    if (wholes_.empty()) return;
    asked_.clear(), requests_.clear();
    for (auto& read : wholes_) {
      auto const& shard = shard_of(read.search);
      if (shard.whole->state() != WholeShard::State::unread) continue;
      shard.whole->begin(shard_bound(source.form), on.host());
      Destination<Host> const to{*shard.whole, {shard_bound(source.form), limits.stop}};
      auto& request = requests_.emplace_back(ReadRequest<Host>{&read.search.slot->key, {}, to});
      if (shard.watched) request.watch = &shard.watched->watch;
      asked_.push_back(&read);
    }
    tell_of_arrivals(source, place, on);
    try {
      ask_for_wholes(source, on);
    } catch (WholeShard::TooLarge const&) {
      for (auto const* read : asked_) shard_of(read->search).whole->refuse();
    }
    for (auto& read : wholes_)
      if (!read.is_settled && !is_in_whole(source, read, on)) reads_.push_back(std::move(read));
    wholes_.clear();
  }
  // A whole shard that is complete, while others are awaited. Each call places about a MiB; then the store looks at the
  // others.
  struct Arrival {
    ShardLocator* locator;
    Source const* source;
    IndexRead* read;
    PlaceReady<P>* place;
    AnyQueue* on;
    std::size_t placed = 0;  // chunks
    bool operator()(std::optional<std::size_t> size) {
      auto const slots = locator->shard_of(read->search).slots;
      if (!read->is_settled && !locator->take_arrived(*source, *read, size, *on)) placed = slots.size();
      if (placed == slots.size()) return false;
      auto const each = std::max<std::uint64_t>(source->form.decoded_size, 1);
      auto const few = std::max<std::uint64_t>(usual_on_host.bytes / each, 1);
      auto const some = slots.subspan(placed, std::min<std::uint64_t>(few, slots.size() - placed));
      (*place)(some);
      placed += some.size();
      return placed < slots.size();
    }
  };
  void tell_of_arrivals(Source const& source, PlaceReady<P>& place, AnyQueue& on) {
    if (!source.places_arrivals() || asked_.size() < 2) return;
    arrivals_.clear();
    told_.clear();
    told_.reserve(asked_.size());
    for (auto* const read : asked_) arrivals_.push_back({this, &source, read, &place, &on});
    for (std::size_t r = 0; r < asked_.size(); ++r) requests_[r].arrived = &told_.emplace_back(arrivals_[r]);
  }
  // False: its chunks are not located yet.
  bool take_arrived(Source const& source, IndexRead& read, std::optional<std::size_t> size, AnyQueue& on) {
    auto const& shard = shard_of(read.search);
    of_index(source, read, [&] { shard.whole->end(size, read.search.slot->key); });
    (void)is_in_whole(source, read, on);
    for (auto& slot : shard.slots)
      if (!is_located(source, {read.search.shard, &slot}, on)) return false;  // another thread reads an index inside
    take_whole(source, shard);
    for (auto const& slot : shard.slots)
      if (slot.found) of_slot(source, slot, [&] { expect_all(slot); });
    return true;
  }
  void ask_for_wholes(Source const& source, AnyQueue& on) {
    try {
      source.store.get_many_on_host(requests_, queue_in<bytes_space>(on));
    } catch (Error& error) {
      auto const is_it = [&](IndexRead const* read) { return error.key() == read->search.slot->key.path; };
      auto const* const found = asked_.size() == 1 ? &asked_.front() : first_of(asked_, is_it);
      if (found)
        blame(source, **found, error);
      else
        failed_together_ = true;
      throw;
    }
    for (std::size_t r = 0; r < asked_.size(); ++r) {
      auto const& shard = shard_of(asked_[r]->search);
      if (shard.watched) shard.watched->is_held &= requests_[r].is_of_watch;
      of_index(source, *asked_[r], [&] { shard.whole->end(requests_[r].size, *requests_[r].key); });
    }
  }

  void read_indexes(Source const& source, FetchLimits const& limits, AnyQueue& on) {
    if (reads_.empty()) return;
    requests_.clear();
    for (auto& read : reads_) {
      Destination<Host> const to{read, {read.claim.range().size, limits.stop}};
      auto& request = requests_.emplace_back(ReadRequest<Host>{&read.search.slot->key, read.claim.range(), to});
      request.max_gap = limits.max_gap;
      request.max_request_bytes = limits.max_request_bytes;
      if (auto* const watched = shard_of(read.search).watched) request.watch = &watched->watch;
    }
    try {
      source.store.get_many_on_host(requests_, queue_in<bytes_space>(on));
    } catch (Error& error) {
      if (auto const* const read = read_of(error))
        blame(source, *read, error);
      else
        failed_together_ = true;
      throw;
    }
    for (std::size_t r = 0; r < reads_.size(); ++r) {
      auto& read = reads_[r];
      if (auto* const watched = shard_of(read.search).watched) watched->is_held &= requests_[r].is_of_watch;
      of_index(source, read, [&] {
        expect_given(requests_[r].size, read.size, *requests_[r].key);
        read.claim.keep(std::move(read.room), requests_[r].size, on.host());
      });
    }
    reads_.clear();
  }

  // Adds to the error the shard, and for the index of a nested shard also the chunk.
  static void blame(Source const& source, IndexRead const& read, Error& error) {
    auto const& slot = *read.search.slot;
    if (read.claim.is_of_inner_shard()) error.in_inner_chunk(to_string(slot.piece.chunk));
    error.in_key(slot.key.path).in_store(source.store.name());
  }
  template <class F>
  static void of_index(Source const& source, IndexRead const& read, F&& f) try {
    f();
  } catch (Error& error) {
    blame(source, read, error);
    throw;
  }
  // The read that a store's error concerns. The error names at most the key, and where a range begins beyond the
  // value's end.
  IndexRead const* read_of(Error const& error) const {
    if (reads_.size() == 1) return &reads_.front();
    auto const is_it = [&](IndexRead const& read) {
      bool const is_of_key = error.key().empty() || error.key() == read.search.slot->key.path;
      return is_of_key && error.range_beyond() == read.claim.range().offset;
    };
    return first_of(reads_, is_it);
  }

  // Every chunk of the shard is needed, and together they do not exceed one request.
  static bool is_taken_whole(Source const& source, FetchLimits const& limits, std::span<Slot const> shard) {
    if (!source.takes_whole_shards()) return false;
    // A store that reads ranges into many destinations reads elements directly into the target.
    auto const& first = shard.front();
    if (!first.stored.is_whole() || first.has_index) return false;
    if (source.store.can.gets_many && source.form.is_view() && first.direct.data && source.store.is_near())
      return false;
    auto const all = source.shards->grid().chunk_count(first.piece.chunk, source.form.layout.shape, source.array_shape);
    return shard.size() == all && shard_bound(source.form) <= limits.max_request_bytes;
  }
  // If its whole shard was read: settles the claim.
  bool is_in_whole(Source const& source, IndexRead& read, AnyQueue& on) const {
    using State = WholeShard::State;
    auto const* const whole = shard_of(read.search).whole;
    if (!whole || (whole->state() != State::missing && whole->state() != State::there)) return false;
    of_index(source, read, [&] {
      if (whole->state() == State::missing)
        read.claim.keep(std::nullopt, on.host());
      else
        read.claim.keep(whole->part(read.claim.range()), on.host());
    });
    read.is_settled = true;
    return true;
  }
  void take_wholes(Source const& source) {
    for (auto const& shard : shards_)
      if (shard.whole) take_whole(source, shard);
  }
  static void take_whole(Source const& source, Shard const& shard) {
    if constexpr (is_of_host)
      if (shard.whole->state() == WholeShard::State::there)
        for (auto& slot : shard.slots)
          if (slot.found) of_slot(source, slot, [&] { slot.encoded = shard.whole->part(slot.range); });
  }

  WholeShards whole_;
  bool failed_together_ = false;
  std::vector<Shard> shards_;
  std::vector<Search> searches_;
  std::vector<IndexRead> reads_;
  std::vector<IndexRead> wholes_;            // each with its shard
  std::vector<IndexRead*> asked_;            // of `wholes_`, one per shard
  std::vector<ReadRequest<Host>> requests_;  // one for each of `asked_` or `reads_`
  std::vector<Arrival> arrivals_;            // one for each of `asked_`
  std::vector<FunctionRef<bool(std::optional<std::size_t>)>> told_;  // refer to them
};

}}}  // namespace tessera::v0::detail
