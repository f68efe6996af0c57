// ChunkFetcher: fetches the stored values of a mini-batch's chunks, whose ranges are known.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/detail/function_ref.hpp>
#include <tessera/shard/detail/watched_shards.hpp>
#include <tessera/store/lend.hpp>
#include <tessera/store/read_request.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>
#include <tessera/transfer/detail/chunk_read.hpp>
#include <tessera/transfer/detail/fetch_buffers.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A queue keeps its buffers for reuse.
template <class P>
class ChunkFetcher {
  using bytes_space = typename P::bytes_space;
  using array_space = typename P::array_space;
  using Queue = typename P::queue_type;
  using Source = ChunkAccess<P>;
  using Chunks = std::span<ChunkRead<P>>;

 public:
  /// Begins with these chunks, one of `parts` parts of a mini-batch.
  void begin(Source const& source, Chunks all, std::size_t parts, Queue& on) {
    all_ = all;
    loans_.clear();
    values_.begin(all.size(), source.form, parts, on);
  }

  /// Gets the values of some of the chunks. Calls `place` for each tile as soon as it is read. Throws: CodecError,
  /// StoreError.
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

  /// Returns lent values to the store once the queue is done with them, even if the queue is not used again.
  void give_back([[maybe_unused]] Queue& on) {
    if constexpr (std::same_as<Queue, tessera::Queue<space::Host>>)
      loans_.clear();
    else if (!loans_.empty())
      on.keep(std::exchange(loans_, {}));
  }

 private:
  // Chooses the destination of a chunk's value.
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

  // All tiles reuse the same memory.
  std::size_t number_of(ChunkRead<P> const& slot) const {
    return slot.is_tile ? 0 : static_cast<std::size_t>(&slot - all_.data());
  }
  // Places the tile that was read last.
  void end_tile() {
    if (auto const* const tile = std::exchange(tile_, nullptr)) (*place_)(*tile);
  }

  // Uses values in the store's memory.
  void borrow(Source const& source, FetchLimits const& limits, Chunks some, WatchedShards& watched, Queue& on) {
    auto next = loans_.size();
    auto const most = most_encoded(source.form);
    for (auto const& slot : some) {
      if (!slot.found) continue;
      if (auto* const shard = watched.of(slot.key)) shard->is_held = false;
      loans_.push_back({&slot.key, slot.range, limits.max_gap, limits.max_request_bytes});
      loans_.back().limits = {most, limits.stop};
    }
    source.store.lend_many(std::span{loans_}.subspan(next), queue_in<bytes_space>(on));
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
                           {destination, ReadLimits{most, limits.stop}},
                           {},
                           values_.slab(),
                           values_.alignment(),
                           limits.max_gap,
                           slot.is_tile ? 0 : limits.max_request_bytes});
      requests_.back().slab_is_idle = true;  // the queue is done with this object when it is leased
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

  // A shard may be shorter than its index says.
  static void expect_all(ChunkRead<P> const& slot) {
    if (slot.encoded.size != slot.range.size)
      throw CodecError{to_text({"the shard's index: found ", slot.range.size, " bytes from byte ", slot.range.offset,
                                " on, but the shard has only ", slot.encoded.size, " of them"})};
  }

  Chunks all_;
  FetchBuffers<bytes_space, typename P::bytes_staging> values_;
  FunctionRef<void(ChunkRead<P> const&)>* place_ = nullptr;
  ChunkRead<P> const* tile_ = nullptr;  // being read
  std::vector<DestinationFor> destinations_;
  std::vector<ReadRequest<bytes_space>> requests_;  // one for each destination
  std::vector<LendRequest<bytes_space>> loans_;     // own the lent bytes
};

}}}  // namespace tessera::v0::detail
