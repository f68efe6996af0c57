// The read path: plan, fetch, decode, place; what is done with one mini-batch. batches.hpp says how many, and when,
// fetch.hpp where the stored values are.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <tessera/array/batches.hpp>
#include <tessera/array/chunk_source.hpp>
#include <tessera/array/fetch.hpp>
#include <tessera/array/part_placer.hpp>
#include <tessera/array/plan.hpp>
#include <tessera/buffer/scratch.hpp>
#include <tessera/pipeline/batch.hpp>
#include <tessera/pipeline/form.hpp>
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
  /// Ranges of one key, as of chunks in a shard, that are so many bytes apart at most are read at once, with what lies
  /// between them. nullopt: what is worth it, 256 in files and 4096 in a store that does not say.
  std::optional<std::uint64_t> gap{};
  /// Bytes that are read of a key at once, at most, but one chunk at least; 0: no bound but the mini-batch's. A shard
  /// of which every chunk is wanted is one read, its index with it, where this and a mini-batch have room for it.
  std::uint64_t most_at_once = 0;
  /// Once it is true no mini-batch begins, and the call ends with Cancelled.
  std::atomic<bool> const* stop = nullptr;
  Progress progress{};
  Traffic* traffic = nullptr;  ///< added to, if given
};

/// Where elements go: the first one's address, and how far apart they are in bytes.
template <MemorySpace Space>
struct Target {
  std::byte* data;
  Strides strides;
};

namespace detail {

/// A mini-batch at work. What it holds is kept by the queue and used again.
template <class S, class P>
class ReadBatch {
  using array_space = typename P::array_space;
  using bytes_space = typename P::bytes_space;
  using Queue = typename P::queue_type;
  // The device's elements all go the same way: one launch, whatever lies where.
  static constexpr bool goes_direct = array_space::host_accessible;

 public:
  /// Reads the pieces [first, last) of a plan.
  void run(ChunkSource<S, P> const& source, Plan const& plan, std::uint64_t first, std::uint64_t last,
           Target<array_space> const& target, Queue& on, ReadOptions const& options) try {
    select(source, plan, first, last, target);
    tasks_.clear();
    found_.clear();  // until the chunks are found, an error is of the key that it names
    fetch_.run(source, {options.gap, options.most_at_once ? options.most_at_once : ~std::uint64_t{0}}, on);
    auto const slots = fetch_.slots();
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (slots[i].found) {
        tasks_.push_back({slots[i].encoded, slots[i].direct});
        found_.push_back(i);
      }
    decode(source, on);
    auto const placed = place(source, plan, target, on);
    fetch_.give_back(on);
    auto* const traffic = options.traffic;
    if (!traffic) return;
    traffic->chunks += slots.size();
    traffic->missing += slots.size() - tasks_.size();
    for (auto const& task : tasks_) traffic->fetched += task.encoded.size;
    if (!source.form.is_view()) traffic->decoded += tasks_.size() * source.form.decoded_size;
    traffic->placed += placed;
  } catch (Error& error) {
    if (auto const* const slot = slot_of(source, error, on)) source.blame(error, slot->key, slot->piece.chunk);
    error.in_store(name_of(source.store));
    throw;
  }

  static Batches batches(ChunkSource<S, P> const& source, Plan const& plan, Queue& on, ReadOptions const& options) {
    auto usual = usual_for<Queue, array_space>(plan);
    auto const shard = source.shards ? source.shards->grid().chunk_count() : 1;
    usual.chunks = std::max(usual.chunks, shard);
    auto wanted = options;
    if (options.mini_batch == 0 && source.shards && Fetch<S, P>::joins) {  // fewer requests before work for all threads
      wanted.mini_batch = usual.chunks;
      if (options.mini_batch_bytes == 0) wanted.mini_batch_bytes = usual.bytes;
    }
    auto batches =
        batches_of(wanted, plan.size(), source.form, on.host().threads(), usual, false, Fetch<S, P>::beside(source));
    // So that few shards are in two of them.
    if (options.mini_batch == 0 && batches.size > shard) batches.size -= batches.size % shard;
    return batches;
  }

 private:
  void select(ChunkSource<S, P> const& source, Plan const& plan, std::uint64_t first, std::uint64_t last,
              Target<array_space> const& target) {
    fetch_.clear();
    auto const strides = plan.strides_in(target.strides);
    plan.for_each_piece(first, last, [&](Piece const& piece) {
      auto& slot = fetch_.add(source, piece);
      slot.direct = {};
      if (goes_direct && is_contiguous(source.form.layout, piece.part, strides) && plan.has_one_part(piece))
        slot.direct = {address(target.data, piece.part.target, target.strides), source.form.decoded_size};
    });
  }

  // The chunk that an error is of, if it is of one. A store's error is of a key, and many chunks of a shard have it.
  typename Fetch<S, P>::Slot const* slot_of(ChunkSource<S, P> const& source, Error const& error, Queue& on) {
    auto const slots = fetch_.slots();
    if (slots.empty()) return nullptr;
    if (!error.key().empty()) return fetch_.beyond_end(source, error, on);
    auto const chunk = error.chunk();
    return &slots[chunk && *chunk < found_.size() ? found_[*chunk] : 0];
  }

  void decode(ChunkSource<S, P> const& source, Queue& on) {
    auto const size = source.form.decoded_size;
    if (!source.form.is_view()) {
      std::size_t rest = 0;  // those that are not decoded right into the target
      for (auto const& task : tasks_) rest += !task.to.data;
      if constexpr (!goes_direct)
        rest = fetch_.slots().size();  // missing ones too, lest memory grow when fewer are missing
      auto const bytes = checked_size(checked_product(rest, size, "a mini-batch"), "a mini-batch");
      auto const room = seen_in<array_space>(decoded_.take(bytes, queue_in<typename P::array_staging>(on)));
      std::size_t next = 0;  // in their order: neighbours cross in one copy
      for (auto& task : tasks_)
        if (!task.to.data) task.to = room.sub(next++ * size, size);
    }
    decoding_.most = fetch_.slots().size();
    decoding_.apart = fetch_.is_apart;
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
      auto const& slot = fetch_.slots()[found_[t]];
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
    for (auto const& slot : fetch_.slots())
      if (!slot.found)
        plan.for_each_part(slot.piece, [&](Part const& part) {
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

  Fetch<S, P> fetch_;
  std::vector<DecodeTask<bytes_space, array_space>> tasks_;
  std::vector<std::size_t> found_;  // the slot of each task
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
  using Batch = detail::ReadBatch<S, P>;
  auto const batches = Batch::batches(source, plan, on, options);
  detail::run_batches<Batch>(batches, options, on, [&](auto const& lease, std::uint64_t first, std::uint64_t last) {
    lease()->run(source, plan, first, last, target, on, options);
  });
}

}  // namespace tessera::inline v0
