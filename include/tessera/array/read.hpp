// The read path: plan, fetch, decode, place; what is done with one mini-batch. batches.hpp says how many, and when.
#pragma once
#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/array/batches.hpp>
#include <tessera/array/fetched.hpp>
#include <tessera/array/part_placer.hpp>
#include <tessera/array/plan.hpp>
#include <tessera/array/shard_directory.hpp>
#include <tessera/buffer/scratch.hpp>
#include <tessera/key/chunk_key.hpp>
#include <tessera/pipeline/batch.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/host_side.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/lend.hpp>
#include <tessera/view/copy.hpp>

namespace tessera::inline v0 {

/// What a read moved, in bytes: fetched from the store, decoded by codecs that run, placed element by element.
struct Traffic {
  std::atomic<std::uint64_t> chunks{0}, missing{0}, fetched{0}, decoded{0}, placed{0};
};

struct ReadOptions {
  /// Chunks that go through the pipeline in lock step; 0: as many as are worth it, at most `mini_batch_bytes`. From 1,
  /// each on its own, to every_chunk.
  std::size_t mini_batch = 0;
  /// Decoded bytes of a mini-batch, at most, but one chunk at least; 0: 1 MiB on the host, 4 MiB with a device queue;
  /// or no bound, if mini_batch says how many.
  std::size_t mini_batch_bytes = 0;
  /// Mini-batches that are under way at a time; 0: one per thread of the host's queue, and two more with a device
  /// queue, whose copies and kernels are behind.
  std::size_t in_flight = 0;
  /// Bytes that all chunks under way may take, in memory of all spaces; 0: no bound but the others. The queue keeps
  /// them for later reads. Throws: SelectionError, if one chunk takes more.
  std::uint64_t memory = 0;
  /// Once it is true no mini-batch begins, and the call ends with Cancelled.
  std::atomic<bool> const* stop = nullptr;
  Progress progress{};
  Traffic* traffic = nullptr;  ///< added to, if given
};

/// Chunks in a store and how to read them: an array's, or those at the bottom of its shards.
template <class S, class P>
struct ChunkSource {
  S const& store;
  std::string_view prefix;  ///< of the keys, with its '/'
  ChunkKeyEncoding key_encoding;
  P const& pipeline;
  ChunkForm const& form;
  ByteView<space::Host> fill;        ///< one element, in the machine's byte order
  ShardDirectory* shards = nullptr;  ///< where chunks are that are in shards
  KeyLocks* locks = nullptr;         ///< with `shards`: used where the store has none of its own

  /// The key of a chunk, or of the shard that it is in, in memory that is used again.
  void put_key(Key& key, Extents const& chunk) const {
    if constexpr (requires { store.put_key(key, chunk); }) return store.put_key(key, chunk);
    key.path = prefix;
    key_encoding.append(key.path, shards ? shards->grid().shard_of(chunk) : chunk);
  }

  /// Where the chunk's value is in that of its key; nullopt: its shard is known not to have it. Reads the shard's
  /// index, if nobody has, and sets `moment` to when that was. Throws: CodecError, StoreError.
  template <class AnyQueue>
  std::optional<ByteRange> locate(Key const& key, Extents const& chunk, std::optional<std::uint64_t>& moment,
                                  AnyQueue& on) const try {
    if (!shards) return ByteRange{};
    auto const read = [&](ByteRange range, ByteSpan<space::Host> to) {
      if constexpr (std::same_as<space_of<S>, space::Host>)
        return get_into(store, key, to, on.host(), range);
      else
        return get_into(host_side(store, queue_in<space_of<S>>(on)), key, to, on.host(), range);
    };
    return shards->find(key, chunk, read, detail::changes_of(store, key, *locks), moment, on.host());
  } catch (Error& error) {
    error.in_key(key.path).in_store(name_of(store));
    throw;
  }

  /// The error is of a chunk.
  void blame(Error& error, Key const& key, Extents const& chunk) const {
    if constexpr (requires { store.blame(error, chunk); }) return store.blame(error, chunk);
    if (shards) error.in_inner_chunk(to_string(chunk));
    error.in_key(key.path).in_store(name_of(store));
  }
};

/// Where elements go: the first one's address, and how far apart they are in bytes.
template <MemorySpace Space>
struct Target {
  std::byte* data;
  Strides strides;
};

namespace detail {

/// Throws: StoreError, if a store gave a value, but not into the room that it asked for: those bytes are nobody's.
inline void expect_given(std::optional<std::size_t> found, std::size_t room, Key const& key) {
  if (!found || *found == room) return;
  StoreError error{text({"the store gave ", *found, " bytes and asked for room for ", room})};
  error.in_key(key.path);
  throw error;
}

/// A mini-batch at work. What it holds is kept by the queue and used again.
template <class S, class P>
class ReadBatch {
  using bytes_space = typename P::bytes_space;
  using array_space = typename P::array_space;
  using Queue = typename P::queue_type;
  using Values = Fetched<bytes_space, typename P::bytes_staging>;
  // Bytes that are about to cross are better copied once, to where they cross from.
  static constexpr bool lends = LendingStore<S> && std::same_as<bytes_space, typename P::bytes_staging>;
  // The device's elements all go the same way: one launch, whatever lies where.
  static constexpr bool goes_direct = array_space::host_accessible;

  struct Slot {
    Piece piece;
    Key key;
    ByteRange range;  // of the key's value
    ByteView<bytes_space> encoded;
    bool found;
    std::optional<std::uint64_t> moment;  // since when its shard must not change
    ByteSpan<array_space> direct;         // the user's memory, where the chunk can be decoded right into it
  };

  // Where the value of slot i shall go.
  struct RoomFor {
    ReadBatch* batch;
    std::size_t i;
    std::uint64_t most;  // bytes
    bool is_view;        // its bytes are its elements
    Queue* on;
    ByteSpan<bytes_space> operator()(std::size_t n) {
      expect_at_most(n, most);
      auto& slot = batch->slots_[i];
      ByteSpan<bytes_space> room;
      if constexpr (std::same_as<bytes_space, array_space>)
        if (is_view && slot.direct.data && n == slot.direct.size) room = slot.direct;
      if (!room.data) room = batch->values_.take(i, n, *on);
      slot.encoded = room;
      return room;
    }
  };

 public:
  /// Reads the pieces [first, last) of a plan.
  void run(ChunkSource<S, P> const& source, Plan const& plan, std::uint64_t first, std::uint64_t last,
           Target<array_space> const& target, Queue& on, Traffic* traffic) try {
    select(source, plan, first, last, target);
    while (!find(source, on)) {
    }
    decode(source, on);
    auto const placed = place(source, plan, target, on);
    if constexpr (lends) give_back(on);
    if (!traffic) return;
    traffic->chunks += used_;
    traffic->missing += used_ - tasks_.size();
    for (auto const& task : tasks_) traffic->fetched += task.encoded.size;
    if (!source.form.is_view()) traffic->decoded += tasks_.size() * source.form.decoded_size;
    traffic->placed += placed;
  } catch (Error& error) {
    auto const chunk = error.chunk();
    // A store's error is of a key, and many chunks may have it.
    if (used_ > 0 && (used_ == 1 || error.key().empty() || !source.shards)) {
      auto const& slot = slots_[chunk && *chunk < found_.size() ? found_[*chunk] : 0];
      source.blame(error, slot.key, slot.piece.chunk);
    }
    error.in_store(name_of(source.store));
    throw;
  }

 private:
  void select(ChunkSource<S, P> const& source, Plan const& plan, std::uint64_t first, std::uint64_t last,
              Target<array_space> const& target) {
    used_ = 0;
    auto const strides = plan.strides_in(target.strides);
    if (slots_.size() < last - first) slots_.resize(last - first);
    for (auto i = first; i < last; ++i) {
      auto& slot = slots_[used_++];
      slot.piece = plan.piece(i);
      source.put_key(slot.key, slot.piece.chunk);
      slot.encoded = {};
      slot.direct = {};
      if (goes_direct && is_contiguous(source.form.layout, slot.piece.part, strides) && plan.has_one_part(slot.piece))
        slot.direct = {address(target.data, slot.piece.part.target, target.strides), source.form.decoded_size};
    }
  }

  // All values. False: a shard was replaced when its index was read and its chunks were not, so they are nobody's, or
  // an error is.
  bool find(ChunkSource<S, P> const& source, Queue& on) {
    for (auto& slot : used_slots()) slot.moment.reset();
    try {
      locate(source, on);
      fetch(source, on);
    } catch (Error const&) {
      if (is_one_value_each(source)) throw;
      return false;
    }
    return is_one_value_each(source);
  }
  bool is_one_value_each(ChunkSource<S, P> const& source) {
    if (!source.shards) return true;
    Slot const* changed = nullptr;
    for (auto const& slot : used_slots())
      if (slot.moment && !changes_of(source.store, slot.key, *source.locks).none_since(*slot.moment)) {
        source.shards->forget(slot.key);
        changed = &slot;
      }
    if (!changed) return true;
    auto const wait_for_writer = lock_of(source.store, changed->key, *source.locks);
    return false;
  }

  // Where each value is. What is missing in a shard is not asked for.
  void locate(ChunkSource<S, P> const& source, Queue& on) {
    found_.clear();  // until the chunks are found, an error is of the key that it names
    tasks_.clear();
    for (auto& slot : used_slots()) {
      slot.encoded = {};
      auto const range = source.locate(slot.key, slot.piece.chunk, slot.moment, on);
      slot.found = range.has_value();
      if (!range) continue;
      slot.range = *range;
      if (source.shards) of_slot(source, slot, [&] { expect_at_most(range->size, most_encoded(source.form)); });
    }
  }

  void fetch(ChunkSource<S, P> const& source, Queue& on) {
    auto const most = most_encoded(source.form);
    if constexpr (lends) {
      owners_.clear();
      for (auto& slot : used_slots()) {
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
      for (std::size_t i = 0; i < used_; ++i) rooms_.push_back({this, i, most, source.form.is_view(), &on});
      for (std::size_t i = 0; i < used_; ++i)
        if (slots_[i].found)
          requests_.push_back({&slots_[i].key, slots_[i].range, rooms_[i], {}, values_.slab(), values_.alignment()});
      get_many(source.store, std::span{requests_}, queue_in<bytes_space>(on));
      auto request = requests_.begin();
      for (auto& slot : used_slots()) {
        if (!slot.found) continue;
        expect_given(request->size, slot.encoded.size, slot.key);
        slot.found = (request++)->size.has_value();
      }
    }
    for (std::size_t i = 0; i < used_; ++i) {
      auto& slot = slots_[i];
      if (source.shards && slot.found) of_slot(source, slot, [&] { expect_all(slot); });
      if (!slot.found) continue;
      tasks_.push_back({slot.encoded, slot.direct});
      found_.push_back(i);
    }
  }

  // A shard may end before what its index says.
  static void expect_all(Slot const& slot) {
    if (slot.encoded.size != slot.range.size)
      throw CodecError{text({"the shard's index: found ", slot.range.size, " bytes from byte ", slot.range.offset,
                             " on, and the shard has ", slot.encoded.size, " of them"})};
  }

  std::span<Slot> used_slots() { return {slots_.data(), used_}; }

  // Runs f; its errors are of that chunk.
  template <class F>
  static void of_slot(ChunkSource<S, P> const& source, Slot const& slot, F&& f) try {
    f();
  } catch (Error& error) {
    source.blame(error, slot.key, slot.piece.chunk);
    throw;
  }

  // What the store lent it has back when the queue is done with it, whether or not the queue is used again.
  void give_back(Queue& on) {
    if constexpr (std::same_as<Queue, tessera::Queue<space::Host>>)
      owners_.clear();
    else if (!owners_.empty())
      on.keep(std::exchange(owners_, {}));
  }

  void decode(ChunkSource<S, P> const& source, Queue& on) {
    auto const size = source.form.decoded_size;
    if (!source.form.is_view()) {
      std::size_t rest = 0;  // those that are not decoded right into the target
      for (auto const& task : tasks_) rest += !task.to.data;
      if constexpr (!goes_direct) rest = used_;  // missing ones too, lest memory grow when fewer are missing
      auto const bytes = checked_size(checked_product(rest, size, "a mini-batch"), "a mini-batch");
      auto const room = seen_in<array_space>(decoded_.take(bytes, queue_in<typename P::array_staging>(on)));
      std::size_t next = 0;  // in their order: neighbours cross in one copy
      for (auto& task : tasks_)
        if (!task.to.data) task.to = room.sub(next++ * size, size);
    }
    decoding_.most = used_;
    decoding_.apart = lends;
    source.pipeline.decode(source.form, std::span{tasks_}, decoding_, on);
  }

  // A bool in C++ is 0 or 1; any other byte would be undefined behaviour in the user's program.
  static void expect_booleans(Placement<array_space> const& placement, Strides const& strides, std::size_t chunk) {
    for (auto n : placement.count)
      if (n == 0) return;
    Axes const axes{placement.count, strides, strides};
    axes.for_each(placement.to, placement.from, [&](std::byte*, std::byte const* element) {
      if (*element <= std::byte{1}) return;
      throw CodecError{text({"found an element ", std::to_integer<int>(*element), ", expected 0 or 1 for a bool"})}
          .in_chunk(chunk);
    });
  }

  std::uint64_t place(ChunkSource<S, P> const& source, Plan const& plan, Target<array_space> const& target, Queue& on) {
    auto const& layout = source.form.layout;
    PlacementForm const form{layout.item_size, layout.swapped, source.fill, stepped(layout.strides, plan.steps()),
                             plan.strides_in(target.strides)};
    bool const has_booleans = array_space::host_accessible && source.form.chunk.type.kind == DataKind::boolean;
    PartPlacer<array_space> placing{placements_, form, queue_in<array_space>(on)};
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      auto const& slot = slots_[found_[t]];
      auto const decoded = tasks_[t].decoded.data;
      bool const is_there = decoded == slot.direct.data && decoded;
      if (is_there && !has_booleans) continue;
      plan.for_each_part(slot.piece, [&](Part const& part) {
        Placement<array_space> const placement{address(decoded, part.first, layout.strides),
                                               address(target.data, part.target, target.strides), part.count};
        if constexpr (array_space::host_accessible)
          if (has_booleans) expect_booleans(placement, form.from_strides, t);
        if (!is_there) placing.add(placement);
      });
    }
    for (std::size_t i = 0; i < used_; ++i)
      if (!slots_[i].found)
        plan.for_each_part(slots_[i].piece, [&](Part const& part) {
          placing.add({nullptr, address(target.data, part.target, target.strides), part.count});
        });
    return placing.finish();
  }

  // The whole chunk is wanted, and lies in the target as it lies in its decoded bytes.
  static bool is_contiguous(Layout const& layout, Part const& part, Strides const& target) {
    if (layout.swapped != 1 || part.count != layout.shape) return false;
    for (std::size_t d = 0; d < target.rank(); ++d)
      if (layout.shape[d] != 1 && layout.strides[d] != target[d]) return false;
    return true;
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  Values values_;
  std::vector<RoomFor> rooms_;
  std::vector<ReadRequest<bytes_space>> requests_;
  std::vector<DecodeTask<bytes_space, array_space>> tasks_;
  std::vector<std::size_t> found_;                   // the slot of each task
  std::vector<std::shared_ptr<void const>> owners_;  // of bytes that the store lent
  typename P::Decoding decoding_;
  Scratch<typename P::array_staging> decoded_;
  std::vector<Placement<array_space>> placements_;
};

}  // namespace detail

/// Reads a selection into the target, in the queue's order. Missing chunks are the fill value.
/// Throws: StoreError, CodecError with the key, Cancelled; then all of the mini-batches that had ended is placed, some
/// or none of the one with the error, and nothing else. The target is in use until the queue is done.
template <class S, class P>
void read_chunks(ChunkSource<S, P> const& source, Selected const& selected, Target<typename P::array_space> target,
                 typename P::queue_type& on, ReadOptions const& options = {}) {
  Plan const plan{selected, source.form.layout.shape,
                  source.shards ? source.shards->grid().chunks_per_shard() : Extents{}};
  auto const batches = detail::batches_of(options, plan.size(), source.form, on.host().threads(),
                                          detail::usual_for<typename P::queue_type, typename P::array_space>(plan));
  using Batch = detail::ReadBatch<S, P>;
  detail::run_batches<Batch>(batches, options, on, [&](auto const& lease, std::uint64_t first, std::uint64_t last) {
    lease()->run(source, plan, first, last, target, on, options.traffic);
  });
}

}  // namespace tessera::inline v0
