// ChunkFetcher: fetches the stored values of a mini-batch's chunks, whose ranges are known.
// FetchBuffers: memory for the stored values of a mini-batch being read.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/shard/detail/watched_shards.hpp>
#include <tessera/store/detail/lend.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>
#include <tessera/transfer/detail/chunk_read.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Values that cross to another space, or are in device memory, are contiguous, so that one copy moves all. Others each
/// have memory of their exact size.
template <MemorySpace S, MemorySpace Staging>
class FetchBuffers {
  static constexpr bool shares = !std::same_as<Staging, space::Host>;

 public:
  /// Begins with `values` values, in one of `parts` parts of a mini-batch.
  template <class AnyQueue>
  void begin(std::size_t values, ResolvedChunk const& form, std::size_t parts, AnyQueue& on) {
    if (own_.size() < values) own_.resize(values);
    used_ = 0;
    // The alignment that device codecs require. Elements, and bytes that cross, have no gaps.
    step_ = form.stores_elements || std::same_as<S, space::Host> ? 1 : 256;
    if constexpr (shares) {
      auto const each = rounded(form.encoded_bound());
      left_ = slab_size_ = checked_size(checked_product(values, each, "a mini-batch"), "a mini-batch");
      if (auto const most = most_pinned / parts; std::same_as<Staging, space::Pinned> && left_ > most)
        slab_size_ = each * std::max(most / each, std::size_t{1});
      slabs_ = 0;
      take_slab(on);
    }
  }

  /// For value i. A value larger than this program's encoders produce has separate memory.
  template <class AnyQueue>
  ByteSpan<S> take(std::size_t i, std::size_t n, AnyQueue& on) {
    if constexpr (shares)
      if (n > slab_.size - used_ && n <= std::min(slab_size_, left_)) take_slab(on);
    if (!shares || n > slab_.size - used_) return seen_in<S>(own_[i].take(n, queue_in<Staging>(on)));
    auto const destination = slab_.sub(used_, n);
    used_ = std::min(slab_.size, used_ + rounded(n));
    return seen_in<S>(destination);
  }

  /// The slab that the first destinations share, if any; each begins at a multiple of alignment().
  ByteSpan<S> slab() const { return shares ? seen_in<S>(slab_) : ByteSpan<S>{}; }
  std::size_t alignment() const { return step_; }

 private:
  // Pinned memory is costly to allocate, and few mini-batches reach the encoders' bound. So a large one allocates slabs
  // as needed: of this many bytes for all its parts, or of one value.
  static constexpr auto most_pinned = std::size_t{64} << 20;
  template <class AnyQueue>
  void take_slab(AnyQueue& on) {
    if (shared_.size() == slabs_) shared_.emplace_back();
    auto const size = std::min(slab_size_, left_);
    slab_ = shared_[slabs_++].take(size, queue_in<Staging>(on));
    left_ -= size;
    used_ = 0;
  }

  std::size_t rounded(std::size_t n) const { return n > ~std::size_t{0} - step_ ? n : (n + step_ - 1) / step_ * step_; }

  std::vector<Scratch<Staging>> shared_;
  std::vector<Scratch<Staging>> own_;
  ByteSpan<Staging> slab_{};
  std::size_t used_ = 0, step_ = 1, slabs_ = 0, slab_size_ = 0, left_ = 0;  // left_: bytes for further slabs
};

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

  /// Gets the values of some of the chunks. Calls `place` for each tile as soon as it is read, and for chunks as they
  /// arrive, if the store tells. Throws: CodecError, StoreError; exceptions of `place`.
  void run(Source const& source, FetchLimits const& limits, Chunks some, WatchedShards& watched, PlaceReady<P> place,
           Queue& on) {
    place_ = &place;
    if (source.lends()) {
      borrow(source, limits, some, watched, on);
    } else {
      list_requests(source, limits, some, watched, on);
      tell_of_arrivals(source);
      tile_ = nullptr;
      if (!requests_.empty()) source.store.get_many(requests_, queue_in<bytes_space>(on));
      end_tile();
      take_answers(watched);
    }
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
      if constexpr (std::same_as<bytes_space, space::Host>)
        if (slot->has_index) return fetch->room_behind(*slot, n, *on);
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
    if (auto* const tile = std::exchange(tile_, nullptr)) (*place_)({tile, 1});
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

  // Reads the beginnings of the chunks that say where their parts are, and sets these.
  void request_indexes(Source const& source, FetchLimits const& limits, Chunks some, WatchedShards& watched,
                       Queue& on) {
    indexes_.clear();
    requests_.clear();
    for (auto& slot : some)
      if (slot.found && !slot.encoded.data && slot.has_index) {
        slot.index_at = indexes_.size();
        indexes_.push_back({&slot});
      }
    for (auto& index : indexes_) {
      auto const& slot = *index.slot;
      auto const size = source.shards ? std::min<std::uint64_t>(source.form.index_size, slot.range.size)
                                      : source.form.index_size;
      auto& request = requests_.emplace_back(ReadRequest<bytes_space>{
          &slot.key, {source.shards ? slot.range.offset : 0, size}, {index, ReadLimits{size, limits.stop}}});
      request.max_gap = limits.max_gap;
      request.max_request_bytes = limits.max_request_bytes;
      if (auto* const shard = watched.of(slot.key)) request.watch = &shard->watch;
    }
    if (requests_.empty()) return;
    source.store.get_many(requests_, queue_in<bytes_space>(on));
    for (std::size_t r = 0; r < indexes_.size(); ++r) {
      auto& index = indexes_[r];
      auto& slot = *index.slot;
      expect_given(requests_[r].size, index.bytes.size(), slot.key);
      slot.found = requests_[r].size.has_value();
      if (auto* const shard = watched.of(slot.key)) shard->is_held &= requests_[r].is_of_watch;
      if (!slot.found) continue;
      of_slot(source, slot, [&] {
        auto& part = index.part;
        part = source.pipeline.stored_part(source.form, {index.bytes.data(), index.bytes.size()}, slot.wanted);
        if (source.shards) part.whole = static_cast<std::size_t>(slot.range.size);
        expect_at_most(part.whole, most_encoded(source.form));
        if (part.size == 0 || part.first > part.whole || part.size > part.whole - part.first)
          throw CodecError{to_text({"the chunk of ", part.whole, " bytes says that a part is in ", part.size,
                                    " bytes from byte ", part.first, " on"})};
      });
    }
  }
  // Memory of a whole stored chunk, with its index; returns that of its part.
  ByteSpan<bytes_space> room_behind(ChunkRead<P>& slot, std::size_t n, Queue& on) {
    auto const& index = indexes_[slot.index_at];
    if (n != index.part.size)
      throw CodecError{to_text({"found ", n, " bytes from byte ", index.part.first, " of the chunk on, expected ",
                                index.part.size})};
    auto const room = values_.take(number_of(slot), index.part.whole, on);
    auto const known = std::min(index.bytes.size(), room.size);
    std::memcpy(room.data, index.bytes.data(), known);
    slot.encoded = room;
    slot.unread = room.size - std::min(room.size, known + n);
    return room.sub(index.part.first, n);
  }

  // A request for each chunk that is not read yet.
  void list_requests(Source const& source, FetchLimits const& limits, Chunks some, WatchedShards& watched, Queue& on) {
    auto const most = most_encoded(source.form);
    if constexpr (std::same_as<bytes_space, space::Host>)
      if (source.form.index_size > 0) request_indexes(source, limits, some, watched, on);
    destinations_.clear();
    requests_.clear();
    for (auto& slot : some)
      if (slot.found && !slot.encoded.data) destinations_.push_back({this, &slot, most, source.form.is_view(), &on});
    for (auto& destination : destinations_) {
      auto const& slot = *destination.slot;
      auto range = slot.range;
      if (slot.has_index)
        range = {indexes_[slot.index_at].part.first + (source.shards ? range.offset : 0),
                 indexes_[slot.index_at].part.size};
      requests_.push_back({&slot.key,
                           range,
                           {destination, ReadLimits{most, limits.stop}},
                           {},
                           values_.slab(),
                           values_.alignment(),
                           limits.max_gap,
                           slot.is_tile ? 0 : limits.max_request_bytes});
      requests_.back().slab_is_idle = true;  // the queue is done with this object when it is leased
      if (!source.shards && !slot.stored.is_whole()) requests_.back().value_size = source.form.encoded_bound();
      if (auto* const shard = watched.of(slot.key)) requests_.back().watch = &shard->watch;
    }
  }
  void take_answers(WatchedShards& watched) {
    for (std::size_t r = 0; r < destinations_.size(); ++r) {
      auto& slot = *destinations_[r].slot;
      bool const is_part_given = slot.has_index && slot.encoded.data;
      expect_given(requests_[r].size, is_part_given ? indexes_[slot.index_at].part.size : slot.encoded.size, slot.key);
      slot.found = requests_[r].size.has_value();
      if (auto* const shard = watched.of(slot.key)) shard->is_held &= requests_[r].is_of_watch;
    }
  }

  // A chunk whose value is complete, while others are awaited.
  struct Arrival {
    ChunkFetcher* fetch;
    Source const* source;
    ChunkRead<P>* slot;
    // Errors name the chunk before they pass the stores, which name themselves and keys of their own.
    bool operator()(std::optional<std::size_t> size) const {
      of_slot(*source, *slot, [&] {
        expect_given(size, slot->encoded.size, slot->key);
        slot->found = size.has_value();
        if (slot->found && source->shards) expect_all(*slot);
        (*fetch->place_)({slot, 1});
      });
      return false;
    }
  };
  void tell_of_arrivals(Source const& source) {
    constexpr std::uint64_t worth_it = 1 << 16;  // decoded bytes; smaller chunks are decoded together
    if (!source.places_arrivals() || destinations_.size() < 2 || source.form.decoded_size < worth_it) return;
    arrivals_.clear();
    told_.clear();
    told_.reserve(destinations_.size());
    for (auto const& destination : destinations_) arrivals_.push_back({this, &source, destination.slot});
    for (std::size_t r = 0; r < destinations_.size(); ++r) {
      if (arrivals_[r].slot->has_index || arrivals_[r].slot->is_tile) continue;
      requests_[r].arrived = &told_.emplace_back(arrivals_[r]);
    }
  }

  // The beginning of a stored chunk, and the part of it that is wanted.
  struct Index {
    ChunkRead<P>* slot;
    std::vector<std::byte> bytes{};
    ChunkPart part{};
    ByteSpan<bytes_space> operator()(std::size_t n) {
      bytes.resize(n);
      return {bytes.data(), n};
    }
  };

  Chunks all_;
  std::vector<Index> indexes_;
  FetchBuffers<bytes_space, typename P::bytes_staging> values_;
  PlaceReady<P>* place_ = nullptr;
  ChunkRead<P>* tile_ = nullptr;  // being read
  std::vector<Arrival> arrivals_;
  std::vector<FunctionRef<bool(std::optional<std::size_t>)>> told_;  // refer to them
  std::vector<DestinationFor> destinations_;
  std::vector<ReadRequest<bytes_space>> requests_;  // one for each destination
  std::vector<LendRequest<bytes_space>> loans_;     // own the lent bytes
};

}}}  // namespace tessera::v0::detail
