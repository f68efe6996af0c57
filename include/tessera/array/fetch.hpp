// Fetching: the stored values of a mini-batch, wherever they are: keys of their own, ranges of shards, whole shards.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <tessera/array/chunk_source.hpp>
#include <tessera/array/fetched.hpp>
#include <tessera/array/plan.hpp>
#include <tessera/array/wanted_bytes.hpp>
#include <tessera/array/whole_shard.hpp>
#include <tessera/core/checked.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/lend.hpp>

namespace tessera::inline v0 {
namespace detail {

/// How a read asks a store: ReadOptions says what they mean.
struct FetchLimits {
  std::optional<std::uint64_t> gap{};
  std::uint64_t most_at_once = ~std::uint64_t{0};
};

/// What it holds is kept by a queue and used again.
template <class S, class P>
class Fetch {
  using bytes_space = typename P::bytes_space;
  using array_space = typename P::array_space;
  using Queue = typename P::queue_type;
  using Source = ChunkSource<S, P>;
  using Values = Fetched<bytes_space, typename P::bytes_staging>;
  // Bytes that are about to cross are better copied once, to where they cross from.
  static constexpr bool lends = LendingStore<S> && std::same_as<bytes_space, typename P::bytes_staging>;
  // The index of a shard is the host's, and of the same bytes.
  static constexpr bool takes_whole_shards = !lends && std::same_as<typename P::bytes_staging, space::Host>;

 public:
  struct Slot {
    Piece piece;
    Key key;
    ByteRange wanted;  // of the decoded bytes
    ByteRange range;   // of the key's value
    ByteView<bytes_space> encoded;
    bool found;
    std::optional<std::uint64_t> moment;  // since when its shard must not change
    ByteSpan<array_space> direct;         // the user's memory, where the chunk can be decoded right into it
    bool is_tile;                         // of several that a chunk is cut into
  };

  /// What it takes beside the chunks' own memory, in bytes for each: joined ranges, and whole shards.
  static std::uint64_t beside(Source const& source) {
    if (!source.shards || lends) return 0;
    return source.form.encoded_bound() * (takes_whole_shards + joins);
  }

  void clear() { used_ = 0; }
  /// For the i-th chunk of a plan; what is found of it is set by run, and `direct` by the caller.
  Slot& add(Source const& source, Plan const& plan, std::uint64_t i) {
    if (slots_.size() == used_) slots_.emplace_back();
    auto& slot = slots_[used_++];
    slot.piece = plan.piece(i);
    slot.is_tile = false;
    // What is lent costs nothing; and what is joined to one request of all chunks would become one for each.
    bool const may_be_part = !lends && !(joins && source.shards);
    slot.wanted = may_be_part ? wanted_bytes(source.form, plan, slot.piece) : ByteRange{0, source.form.decoded_size};
    source.put_key(slot.key, slot.piece.chunk);
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
    while (!find(source, limits, on)) {
    }
  }

  /// What the store lent it has back when the queue is done with it, whether or not the queue is used again.
  void give_back([[maybe_unused]] Queue& on) {
    if constexpr (!lends)
      return;
    else if constexpr (std::same_as<Queue, tessera::Queue<space::Host>>)
      owners_.clear();
    else if (!owners_.empty())
      on.keep(std::exchange(owners_, {}));
  }
  static constexpr bool is_apart = lends;                  ///< values are where the store has them
  static constexpr bool joins = !lends && !HasGetMany<S>;  ///< the store is asked for one range after the other

  /// The slot that a store's error is of, which says no more than its key: one whose range begins beyond the shard's
  /// end, if there is one.
  Slot const* beyond_end(Source const& source, Error const& error, Queue& on) {
    if (!source.shards || !error.inner_chunk().empty()) return nullptr;
    auto const of_key = [&](Slot const& slot) { return slot.key.path == error.key() && slot.found; };
    auto const first = std::ranges::find_if(slots(), of_key);
    if (first == slots().end()) return nullptr;
    std::optional<std::uint64_t> total;
    try {
      total = size(source.store, first->key, queue_in<bytes_space>(on));
    } catch (Error const&) {  // the first one is thrown
    }
    auto const is_beyond = [&](Slot const& slot) { return of_key(slot) && total && slot.range.offset > *total; };
    auto const found = std::ranges::find_if(slots(), is_beyond);
    return found == slots().end() ? nullptr : &*found;
  }

 private:
  // Where the value of slot i shall go.
  struct RoomFor {
    Fetch* fetch;
    std::size_t i;
    std::uint64_t most;  // bytes
    bool is_view;        // its bytes are its elements
    Queue* on;
    ByteSpan<bytes_space> operator()(std::size_t n) {
      expect_at_most(n, most);
      auto& slot = fetch->slots_[i];
      if (slot.is_tile) fetch->end_tile();
      if (slot.is_tile) fetch->tile_ = &slot;
      ByteSpan<bytes_space> room;
      if constexpr (std::same_as<bytes_space, array_space>)
        if (is_view && slot.direct.data && n == slot.direct.size) room = slot.direct;
      if (!room.data) room = fetch->values_.take(slot.is_tile ? 0 : i, n, *on);
      slot.encoded = room;
      return room;
    }
  };

  // The tile that was read last is there.
  void end_tile() {
    if (auto const* const tile = std::exchange(tile_, nullptr)) (*place_)(*tile);
  }

  // All values. False: a shard was replaced when its index was read and its chunks were not, so they are nobody's, or
  // an error is.
  bool find(Source const& source, FetchLimits const& limits, Queue& on) {
    for (auto& slot : slots()) slot.moment.reset(), slot.found = false;
    try {
      locate(source, limits, on);
      fetch(source, limits, on);
    } catch (Error const&) {
      if (is_one_value_each(source)) throw;
      return false;
    }
    return is_one_value_each(source);
  }
  bool is_one_value_each(Source const& source) {
    if (!source.shards) return true;
    Slot const* changed = nullptr;
    for (auto const& slot : slots())
      if (slot.moment && !changes_of(source.store, slot.key, *source.locks).none_since(*slot.moment)) {
        source.shards->forget(slot.key);
        changed = &slot;
      }
    if (!changed) return true;
    auto const wait_for_writer = lock_of(source.store, changed->key, *source.locks);
    return false;
  }

  // Where each value is. What is missing in a shard is not asked for.
  void locate(Source const& source, FetchLimits const& limits, Queue& on) {
    auto const all = slots();
    for (auto& slot : all) {
      slot.encoded = {};
      slot.range = is_part(source, slot) ? slot.wanted : ByteRange{};
      slot.found = !source.shards;
    }
    if (!source.shards) return;
    whole_.clear();
    for (std::size_t i = 0; i < all.size();) {
      auto const is_other = [&](Slot const& slot) { return slot.key.path != all[i].key.path; };
      auto const end = std::ranges::find_if(all.subspan(i), is_other);
      auto const shard = all.subspan(i).first(static_cast<std::size_t>(end - all.subspan(i).begin()));
      i += shard.size();
      if constexpr (takes_whole_shards) {
        if (is_taken_whole(source, limits, shard)) {
          take_whole(source, shard, on);
          continue;
        }
      }
      for (auto& slot : shard)
        locate(source, slot, on,
               [&](ByteRange range, ByteSpan<space::Host> to) { return source.read_part(slot.key, range, to, on); });
    }
  }
  template <class Read>
  void locate(Source const& source, Slot& slot, Queue& on, Read&& read) {
    auto const range = source.locate(slot.key, slot.piece.chunk, slot.moment, read, on);
    slot.found = range.has_value();
    if (!range) return;
    slot.range = *range;
    of_slot(source, slot, [&] { expect_at_most(range->size, most_encoded(source.form)); });
    if (!is_part(source, slot)) return;
    of_slot(source, slot, [&] { expect_size(checked_size(range->size, "a chunk"), source.form.decoded_size, 0); });
    slot.range = {range->offset + slot.wanted.offset, slot.wanted.size};
  }

  // Its stored bytes are its elements, and not all of them are wanted.
  static bool is_part(Source const& source, Slot const& slot) { return slot.wanted.size < source.form.decoded_size; }

  // Every chunk that the shard has is wanted, and together they are no more than is read at once.
  bool is_taken_whole(Source const& source, FetchLimits const& limits, std::span<Slot const> shard) const {
    // A store that reads ranges into many rooms has elements go right to where they belong.
    if (is_part(source, shard.front()) || (HasGetMany<S> && source.form.is_view() && shard.front().direct.data))
      return false;
    auto const& chunk = shard.front().piece.chunk;
    auto const all = source.shards->grid().chunk_count(chunk, source.form.layout.shape, source.array_shape);
    return shard.size() == all && shard_bound(source.form) <= limits.most_at_once;
  }
  // One read of all, if the index is not known.
  void take_whole(Source const& source, std::span<Slot> shard, Queue& on) {
    auto& whole = whole_.next();
    auto const& key = shard.front().key;
    auto const most = shard_bound(source.form);
    for (auto& slot : shard)
      locate(source, slot, on, [&](ByteRange range, ByteSpan<space::Host> to) {
        return whole.read_part(source.store, key, most, range, to, on.host());
      });
    if (!whole.is_there()) return;
    for (auto& slot : shard)
      if (slot.found) of_slot(source, slot, [&] { slot.encoded = whole.part(slot.range); });
  }

  void fetch(Source const& source, FetchLimits const& limits, Queue& on) {
    auto const most = most_encoded(source.form);
    if constexpr (lends) {
      owners_.clear();
      for (auto& slot : slots()) {
        if (!slot.found) continue;
        of_slot(source, slot, [&] {
          auto lent = lend(source.store, slot.key, slot.range, queue_in<bytes_space>(on));
          slot.found = lent.has_value();
          if (!lent) return;
          expect_at_most(lent->bytes.size, most);
          slot.encoded = lent->bytes;
          owners_.push_back(std::move(lent->owner));
        });
      }
    } else {
      values_.begin(used_, source.form, on);
      rooms_.clear();
      requests_.clear();
      asked_.clear();
      for (std::size_t i = 0; i < used_; ++i) {
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
                             limits.gap,
                             slot.is_tile ? 0 : limits.most_at_once});
        if (!source.shards && is_part(source, slot)) requests_.back().value_size = source.form.decoded_size;
      }
      tile_ = nullptr;
      if (!requests_.empty()) get_many(source.store, std::span{requests_}, queue_in<bytes_space>(on));
      end_tile();
      for (std::size_t r = 0; r < asked_.size(); ++r) {
        auto& slot = slots_[asked_[r]];
        expect_given(requests_[r].size, slot.encoded.size, slot.key);
        slot.found = requests_[r].size.has_value();
      }
    }
    if (!source.shards) return;
    for (auto const& slot : slots())
      if (slot.found) of_slot(source, slot, [&] { expect_all(slot); });
  }

  // A shard may end before what its index says.
  static void expect_all(Slot const& slot) {
    if (slot.encoded.size != slot.range.size)
      throw CodecError{text({"the shard's index: found ", slot.range.size, " bytes from byte ", slot.range.offset,
                             " on, and the shard has ", slot.encoded.size, " of them"})};
  }

  // Runs f; its errors are of that chunk.
  template <class F>
  static void of_slot(Source const& source, Slot const& slot, F&& f) try {
    f();
  } catch (Error& error) {
    source.blame(error, slot.key, slot.piece.chunk);
    throw;
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  Values values_;
  WholeShards whole_;
  FunctionRef<void(Slot const&)>* place_ = nullptr;
  Slot const* tile_ = nullptr;  // that is being read
  std::vector<RoomFor> rooms_;
  std::vector<ReadRequest<bytes_space>> requests_;
  std::vector<std::size_t> asked_;                   // the slot of each request
  std::vector<std::shared_ptr<void const>> owners_;  // of bytes that the store lent
};

}  // namespace detail
}  // namespace tessera::inline v0
