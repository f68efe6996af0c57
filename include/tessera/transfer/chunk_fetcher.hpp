// Fetching: the stored values of a mini-batch's chunks, whose ranges are known.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/function_ref.hpp>
#include <tessera/shard/watched_shards.hpp>
#include <tessera/store/lend_many.hpp>
#include <tessera/store/read_request.hpp>
#include <tessera/transfer/chunk_access.hpp>
#include <tessera/transfer/chunk_read.hpp>
#include <tessera/transfer/fetch_buffers.hpp>
#include <tessera/transfer/read_options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What it holds is kept by a queue and used again.
template <class P>
class ChunkFetcher {
  using bytes_space = typename P::bytes_space;
  using array_space = typename P::array_space;
  using Queue = typename P::queue_type;
  using Source = ChunkAccess<P>;
  using Chunks = std::span<ChunkRead<P>>;

 public:
  /// Before these, which are one of so many parts of a mini-batch.
  void begin(Source const& source, Chunks all, std::size_t parts, Queue& on) {
    all_ = all;
    loans_.clear();
    values_.begin(all.size(), source.form, parts, on);
  }

  /// The values of some of them; a tile's is `place`d as soon as it is there. Throws: CodecError, StoreError.
  void run(Source const& source, FetchLimits const& limits, Chunks some, WatchedShards& watched,
           FunctionRef<void(ChunkRead<P> const&)> place, Queue& on) {
    place_ = &place;
    if (source.lends())
      borrow(source, limits, some, watched, on);
    else
      request(source, limits, some, watched, on);
    if (!source.shards) return;
    for (auto const& slot : some)
      if (slot.found) of_slot(source, slot, [&] { expect_all(slot); });
  }

  /// What the store lent it has back when the queue is done with it, whether or not the queue is used again.
  void give_back([[maybe_unused]] Queue& on) {
    if constexpr (std::same_as<Queue, tessera::Queue<space::Host>>)
      loans_.clear();
    else if (!loans_.empty())
      on.keep(std::exchange(loans_, {}));
  }

 private:
  // Where the value of a chunk shall go.
  struct DestinationFor {
    ChunkFetcher* fetch;
    ChunkRead<P>* slot;
    std::uint64_t most;  // bytes
    bool is_view;        // its bytes are its elements
    Queue* on;
    ByteSpan<bytes_space> operator()(std::size_t n) {
      expect_at_most(n, most);
      if (slot->is_tile) fetch->end_tile();
      if (slot->is_tile) fetch->tile_ = slot;
      ByteSpan<bytes_space> destination;
      if constexpr (std::same_as<bytes_space, array_space>)
        if (is_view && slot->direct.data && n == slot->direct.size) destination = slot->direct;
      if (!destination.data) destination = fetch->values_.take(fetch->number_of(*slot), n, *on);
      slot->encoded = destination;
      return destination;
    }
  };

  // Tiles have the same memory, one after the other.
  std::size_t number_of(ChunkRead<P> const& slot) const {
    return slot.is_tile ? 0 : static_cast<std::size_t>(&slot - all_.data());
  }
  // The tile that was read last is there.
  void end_tile() {
    if (auto const* const tile = std::exchange(tile_, nullptr)) (*place_)(*tile);
  }

  // Where the store has them.
  void borrow(Source const& source, FetchLimits const& limits, Chunks some, WatchedShards& watched, Queue& on) {
    auto next = loans_.size();
    for (auto const& slot : some) {
      if (!slot.found) continue;
      if (auto* const shard = watched.of(slot.key)) shard->is_held = false;
      loans_.push_back({&slot.key, slot.range, limits.max_gap, limits.max_request_bytes});
    }
    source.store.lend_many(std::span{loans_}.subspan(next), queue_in<bytes_space>(on));
    auto const most = most_encoded(source.form);
    for (auto& slot : some) {
      if (!slot.found) continue;
      auto const& lent = loans_[next++].lent;
      slot.found = lent.has_value();
      if (!lent) continue;
      of_slot(source, slot, [&] { expect_at_most(lent->bytes.size, most); });
      slot.encoded = lent->bytes;
    }
  }

  void request(Source const& source, FetchLimits const& limits, Chunks some, WatchedShards& watched, Queue& on) {
    auto const most = most_encoded(source.form);
    destinations_.clear();
    requests_.clear();
    for (auto& slot : some)
      if (slot.found && !slot.encoded.data) destinations_.push_back({this, &slot, most, source.form.is_view(), &on});
    for (auto& destination : destinations_) {
      auto const& slot = *destination.slot;
      requests_.push_back({&slot.key,
                           slot.range,
                           destination,
                           {},
                           values_.slab(),
                           values_.alignment(),
                           limits.max_gap,
                           slot.is_tile ? 0 : limits.max_request_bytes});
      requests_.back().slab_is_idle = true;  // this is lent when the queue is done with it
      if (!source.shards && is_part(slot, source.form)) requests_.back().value_size = source.form.decoded_size;
      if (auto* const shard = watched.of(slot.key)) requests_.back().watch = &shard->watch;
    }
    tile_ = nullptr;
    if (!requests_.empty()) source.store.get_many(requests_, queue_in<bytes_space>(on));
    end_tile();
    for (std::size_t r = 0; r < destinations_.size(); ++r) {
      auto& slot = *destinations_[r].slot;
      expect_given(requests_[r].size, slot.encoded.size, slot.key);
      slot.found = requests_[r].size.has_value();
      if (auto* const shard = watched.of(slot.key)) shard->is_held &= requests_[r].is_of_watch;
    }
  }

  // A shard may end before what its index says.
  static void expect_all(ChunkRead<P> const& slot) {
    if (slot.encoded.size != slot.range.size)
      throw CodecError{text({"the shard's index: found ", slot.range.size, " bytes from byte ", slot.range.offset,
                             " on, and the shard has ", slot.encoded.size, " of them"})};
  }

  Chunks all_;
  FetchBuffers<bytes_space, typename P::bytes_staging> values_;
  FunctionRef<void(ChunkRead<P> const&)>* place_ = nullptr;
  ChunkRead<P> const* tile_ = nullptr;  // that is being read
  std::vector<DestinationFor> destinations_;
  std::vector<ReadRequest<bytes_space>> requests_;  // one for each of them
  std::vector<LendRequest<bytes_space>> loans_;     // with the owners of the bytes
};

}}}  // namespace tessera::v0::detail
