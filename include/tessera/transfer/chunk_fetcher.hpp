// Fetching: the stored values of a mini-batch, wherever they are: keys of their own, ranges of shards, whole shards.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/function_ref.hpp>
#include <tessera/plan/plan.hpp>
#include <tessera/shard/watched_shards.hpp>
#include <tessera/store/read_request.hpp>
#include <tessera/transfer/batches.hpp>
#include <tessera/transfer/chunk_access.hpp>
#include <tessera/transfer/chunk_read.hpp>
#include <tessera/transfer/fetch_buffers.hpp>
#include <tessera/transfer/shard_locator.hpp>
#include <tessera/transfer/wanted_bytes.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What it holds is kept by a queue and used again.
template <class P>
class ChunkFetcher {
  using bytes_space = typename P::bytes_space;
  using array_space = typename P::array_space;
  using Queue = typename P::queue_type;
  using Source = ChunkAccess<P>;
  using Locator = ShardLocator<P>;
  using Values = FetchBuffers<bytes_space, typename P::bytes_staging>;

 public:
  using Slot = ChunkRead<P>;

  /// What it takes beside the chunks' own memory, in bytes for each: joined ranges, and whole shards.
  static std::uint64_t beside(Source const& source) {
    if (!source.shards || Locator::lends(source)) return 0;
    return source.form.encoded_bound() * (Locator::takes_whole_shards(source) + joins(source));
  }

  void clear() { used_ = 0; }
  /// For a piece of a plan; what is found of it is set by run, and `direct` by the caller.
  Slot& add(Source const& source, Plan const& plan, Piece const& piece) {
    if (slots_.size() == used_) slots_.emplace_back();
    auto& slot = slots_[used_++];
    slot.piece = piece;
    slot.is_tile = false;
    // What is lent costs nothing; and what is joined to one request of all chunks would become one for each.
    bool const may_be_part = !Locator::lends(source) && !(joins(source) && source.shards);
    slot.wanted = may_be_part ? wanted_bytes(source.form, plan, slot.piece) : ByteRange{0, source.form.decoded_size};
    source.names.put_key(slot.key, slot.piece.chunk);
    return slot;
  }
  /// Cuts the one chunk that there is. Its tiles have the same memory, one after the other.
  void cut(Source const& source, Tiles const& tiles, Extents const& steps) {
    auto const whole = slots_[0].piece;
    auto const d = tiles.dimension;
    for (std::uint64_t at = 0; at < whole.part.count[d]; at += tiles.count) {
      if (used_ == slots_.size()) slots_.emplace_back();
      auto& slot = slots_[at == 0 ? 0 : used_++];
      slot.piece = whole;
      slot.key.path = slots_[0].key.path;
      slot.direct = {};
      slot.is_tile = true;
      auto& part = slot.piece.part;
      part.first[d] += at * steps[d];
      part.target[d] += at;
      part.count[d] = std::min(tiles.count, part.count[d] - at);
      slot.wanted = bytes_of(source.form.layout, steps, part);
    }
  }
  std::span<Slot> slots() { return {slots_.data(), used_}; }

  /// The values of all slots; a tile's is `place`d as soon as it is there. Throws: CodecError, StoreError.
  void run(Source const& source, FetchLimits const& limits, FunctionRef<void(Slot const&)> place, Queue& on) {
    place_ = &place;
    owners_.clear();
    locate_.clear();
    values_.begin(used_, source.form, on);
    if (!source.shards) return find(0, used_, source, limits, on), void();
    for (std::size_t begin = 0; begin < used_;) {
      auto const end = end_of_group(begin, source, on);
      find_shards(begin, end, source, limits, on);
      begin = end;
    }
  }

  /// What the store lent it has back when the queue is done with it, whether or not the queue is used again.
  void give_back([[maybe_unused]] Queue& on) {
    if constexpr (std::same_as<Queue, tessera::Queue<space::Host>>)
      owners_.clear();
    else if (!owners_.empty())
      on.keep(std::exchange(owners_, {}));
  }
  /// Values are where the store has them.
  static bool is_apart(Source const& source) { return Locator::lends(source); }
  /// The store is asked for one range after the other.
  static bool joins(Source const& source) { return !Locator::lends(source) && !source.store.can.gets_many; }

 private:
  // Where the value of slot i shall go.
  struct RoomFor {
    ChunkFetcher* fetch;
    std::size_t i;
    std::uint64_t most;  // bytes
    bool is_view;        // its bytes are its elements
    Queue* on;
    ByteSpan<bytes_space> operator()(std::size_t n) {
      expect_at_most(n, most);
      auto& slot = fetch->slots_[i];
      if (slot.is_tile) fetch->end_tile();
      if (slot.is_tile) fetch->tile_ = &slot;
      ByteSpan<bytes_space> destination;
      if constexpr (std::same_as<bytes_space, array_space>)
        if (is_view && slot.direct.data && n == slot.direct.size) destination = slot.direct;
      if (!destination.data) destination = fetch->values_.take(slot.is_tile ? 0 : i, n, *on);
      slot.encoded = destination;
      return destination;
    }
  };

  // The tile that was read last is there.
  void end_tile() {
    if (auto const* const tile = std::exchange(tile_, nullptr)) (*place_)(*tile);
  }

  // Where the slots of some shards end that begin here: of few, for a shard that is watched is an open file, and all
  // threads together shall have some hundreds.
  std::size_t end_of_group(std::size_t begin, Source const& source, Queue& on) const {
    if (!source.store.can.watches) return used_;
    auto const most = std::clamp<std::size_t>(256 / on.host().threads(), 1, 8);
    std::size_t shards = 1;
    for (auto end = begin + 1; end < used_; ++end)
      if (slots_[end].key.path != slots_[end - 1].key.path && ++shards > most) return end;
    return used_;
  }

  // The values of slots in shards. Of those that somebody replaces again and again one is read after the other, while
  // it is locked.
  void find_shards(std::size_t begin, std::size_t end, Source const& source, FetchLimits const& limits, Queue& on) {
    for (int tries = 0; tries < 3; ++tries) {
      if (find(begin, end, source, limits, on)) return;
      expect_going(limits.stop);
    }
    while (begin < end) {
      auto next = begin + 1;
      while (next < end && slots_[next].key.path == slots_[begin].key.path) ++next;
      for (int tries = 0;; ++tries) {
        auto const held = source.store.lock(slots_[begin].key);
        if (find(begin, next, source, limits, on)) break;
        expect_going(limits.stop);
        if (tries == 1000)
          of_slot(source, slots_[begin], [] {
            throw StoreError{"the shard was replaced whenever its index had been read, by somebody who takes no lock"};
          });
      }
      begin = next;
    }
  }

  // The values of the slots [begin, end). False: a shard was replaced when its index was read and its chunks were not,
  // so they are nobody's, or an error is.
  bool find(std::size_t begin, std::size_t end, Source const& source, FetchLimits const& limits, Queue& on) {
    auto const some = slots().subspan(begin, end - begin);
    for (auto& slot : some) slot.sequence.reset(), slot.found = false;
    struct End {
      WatchedShards& watched;
      ~End() { watched.clear(); }  // they are the store's
    } const end_of_watches{watched_};
    if (source.shards && source.store.can.watches) watched_.begin(source, std::span<Slot const>{some});
    try {
      locate_.run(source, limits, some, watched_, on);
      fetch(begin, end, source, limits, on);
    } catch (Error const&) {
      bool const is_one_value = is_one_value_each(source, some);
      if (is_one_value && !is_written(source, some)) throw;
      return false;
    }
    return is_one_value_each(source, some);
  }
  // Somebody wrote a shard of them while it was read, maybe behind its value: then it is found without its end.
  bool is_written(Source const& source, std::span<Slot const> some) {
    return source.shards && std::ranges::any_of(some, [&](Slot const& slot) {
             return slot.sequence && !source.store.changes(slot.key).none_since(*slot.sequence);
           });
  }
  bool is_one_value_each(Source const& source, std::span<Slot const> some) {
    if (!source.shards) return true;
    if (source.store.can.watches) return watched_.are_same(source, [&](Key const& key) { source.shards->forget(key); });
    bool is_same = true;
    for (auto const& slot : some)
      if (slot.sequence && !source.store.changes(slot.key).none_since(*slot.sequence))
        source.shards->forget(slot.key), is_same = false;
    return is_same;
  }

  void fetch(std::size_t begin, std::size_t end, Source const& source, FetchLimits const& limits, Queue& on) {
    auto const some = slots().subspan(begin, end - begin);
    if (Locator::lends(source))
      borrow(some, source, on);
    else
      request(begin, end, source, limits, on);
    if (!source.shards) return;
    for (auto const& slot : some)
      if (slot.found) of_slot(source, slot, [&] { expect_all(slot); });
  }

  // Where the store has them.
  void borrow(std::span<Slot> some, Source const& source, Queue& on) {
    auto const most = most_encoded(source.form);
    for (auto& slot : some) {
      if (!slot.found) continue;
      of_slot(source, slot, [&] {
        if (auto* const shard = watched_.of(slot.key)) shard->is_held = false;
        auto lent = source.store.lend(slot.key, slot.range, queue_in<bytes_space>(on));
        slot.found = lent.has_value();
        if (!lent) return;
        expect_at_most(lent->bytes.size, most);
        slot.encoded = lent->bytes;
        owners_.push_back(std::move(lent->owner));
      });
    }
  }

  void request(std::size_t begin, std::size_t end, Source const& source, FetchLimits const& limits, Queue& on) {
    auto const most = most_encoded(source.form);
    rooms_.clear();
    requests_.clear();
    asked_.clear();
    for (auto i = begin; i < end; ++i) {
      if (!slots_[i].found || slots_[i].encoded.data) continue;
      rooms_.push_back({this, i, most, source.form.is_view(), &on});
      asked_.push_back(i);
    }
    for (std::size_t r = 0; r < asked_.size(); ++r) {
      auto const& slot = slots_[asked_[r]];
      requests_.push_back({&slot.key,
                           slot.range,
                           rooms_[r],
                           {},
                           values_.slab(),
                           values_.alignment(),
                           limits.max_gap,
                           slot.is_tile ? 0 : limits.max_request_bytes});
      requests_.back().slab_is_idle = true;  // this is lent when the queue is done with it
      if (!source.shards && is_part(slot, source.form)) requests_.back().value_size = source.form.decoded_size;
      if (auto* const shard = watched_.of(slot.key)) requests_.back().watch = &shard->watch;
    }
    tile_ = nullptr;
    if (!requests_.empty()) source.store.get_many(requests_, queue_in<bytes_space>(on));
    end_tile();
    for (std::size_t r = 0; r < asked_.size(); ++r) {
      auto& slot = slots_[asked_[r]];
      expect_given(requests_[r].size, slot.encoded.size, slot.key);
      slot.found = requests_[r].size.has_value();
      if (auto* const shard = watched_.of(slot.key)) shard->is_held &= requests_[r].is_of_watch;
    }
  }

  // A shard may end before what its index says.
  static void expect_all(Slot const& slot) {
    if (slot.encoded.size != slot.range.size)
      throw CodecError{text({"the shard's index: found ", slot.range.size, " bytes from byte ", slot.range.offset,
                             " on, and the shard has ", slot.encoded.size, " of them"})};
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  Values values_;
  Locator locate_;
  FunctionRef<void(Slot const&)>* place_ = nullptr;
  Slot const* tile_ = nullptr;  // that is being read
  std::vector<RoomFor> rooms_;
  std::vector<ReadRequest<bytes_space>> requests_;
  std::vector<std::size_t> asked_;                   // the slot of each request
  WatchedShards watched_;                            // those at hand
  std::vector<std::shared_ptr<void const>> owners_;  // of bytes that the store lent
};

}}}  // namespace tessera::v0::detail
