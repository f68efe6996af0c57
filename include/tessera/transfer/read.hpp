// The read path: locate, fetch, decode, place; what is done with one mini-batch. batches.hpp says how many, and when.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/buffer/scratch.hpp>
#include <tessera/pipeline/batch.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/place/any_placer.hpp>
#include <tessera/place/copy.hpp>
#include <tessera/plan/plan.hpp>
#include <tessera/shard/watched_shards.hpp>
#include <tessera/transfer/batches.hpp>
#include <tessera/transfer/chunk_access.hpp>
#include <tessera/transfer/chunk_fetcher.hpp>
#include <tessera/transfer/chunk_reads.hpp>
#include <tessera/transfer/consistent_shards.hpp>
#include <tessera/transfer/listed_placer.hpp>
#include <tessera/transfer/part_placer.hpp>
#include <tessera/transfer/read_options.hpp>
#include <tessera/transfer/shard_locator.hpp>
#include <tessera/view/strided_span.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

/// A mini-batch at work. What it holds is kept by the queue and used again. `To` is a StridedSpan, or like one.
template <class P, class To = StridedSpan<typename P::array_space>>
class ReadBatch {
  using array_space = typename P::array_space;
  using bytes_space = typename P::bytes_space;
  using Queue = typename P::queue_type;
  // The device's elements all go the same way: one launch, whatever lies where.
  static constexpr bool goes_direct = array_space::host_accessible && !HasPlacer<To>;
  static constexpr bool has_unjoined = std::same_as<array_space, space::Device> && !HasPlacer<To>;
  static constexpr bool is_of_host = std::same_as<bytes_space, space::Host> && std::same_as<array_space, space::Host>;

 public:
  /// Reads the pieces [first, last) of a plan.
  void run(ChunkAccess<P> const& source, Plan const& plan, std::uint64_t first, std::uint64_t last, To const& target,
           Queue& on, ReadOptions const& options) try {
    select(source, plan, first, last, target);
    decoding_.most_payload = options.memory ? options.memory : most_varying;
    FetchLimits const limits{options};
    std::uint64_t placed = 0;
    auto const place_next = [&](auto const& tile) {
      if constexpr (is_of_host) placed += place_tile(source, tile, plan, target, on);
    };
    locate_.begin();
    fetch_.begin(source, chunks_.all(), on);
    for (auto const few : runs_of_few_shards(source, chunks_.all(), on)) {
      ConsistentShards<P> shards{source, few, watched_, options.stop};
      while (shards.next()) try {
          locate_.run(source, limits, shards.chunks(), watched_, on);
          fetch_.run(source, limits, shards.chunks(), watched_, place_next, on);
        } catch (Error const&) {
          if (!shards.was_replaced()) throw;  // else the error is nobody's
        }
    }
    decode(source, on);
    placed += place(source, plan, target, on);
    fetch_.give_back(on);
    auto* const traffic = options.traffic;
    if (!traffic) return;
    traffic->chunks += last - first;
    auto const missing = chunks_.size() - tasks_.size();
    traffic->missing += missing * (last - first) / chunks_.size();  // the tiles of one are one
    for (auto const& task : tasks_) traffic->fetched += task.encoded.size;
    if (!source.form.is_view())
      for (auto const i : found_) traffic->decoded += chunks_[i].wanted.size;
    traffic->placed += placed;
  } catch (Error& error) {
    if (auto const* const slot = slot_of(error)) source.blame(error, slot->key, slot->piece.chunk);
    error.in_store(source.store.name());
    throw;
  }

  static Batches batches(ChunkAccess<P> const& source, Plan const& plan, Queue& on, ReadOptions const& options) {
    auto usual = usual_of(source.form, usual_for<Queue, array_space>(plan), on);
    auto const shard = source.shards ? source.shards->grid().chunk_count() : 1;
    usual.chunks = std::max(usual.chunks, shard);
    auto wanted = options;
    bool const is_far = source.shards && !source.store.is_near();
    if (options.mini_batch == 0 && (is_far || (source.shards && source.joins()))) {
      wanted.mini_batch = usual.chunks;  // fewer requests before work for all threads
      auto const whole = std::max<std::uint64_t>(source.form.decoded_size, 1);
      auto const most = is_far ? std::min(shard, most_for_few / whole) * whole : 0;
      if (options.mini_batch_bytes == 0) wanted.mini_batch_bytes = std::max(usual.bytes, most);
    }
    auto batches =
        batches_of(wanted, plan.size(), source.form, on.host().threads(), usual, false, memory_beside(source));
    // So that few shards are in two of them.
    if (options.mini_batch == 0 && batches.size > shard) batches.size -= batches.size % shard;
    return batches;
  }

 private:
  /// Bytes of a mini-batch, at most, that is larger than usual so that a shard of a store that is far is one request.
  static constexpr auto most_for_few = std::uint64_t{8} << 20;

  // Bytes for each chunk beside its own memory: joined ranges, and whole shards.
  static std::uint64_t memory_beside(ChunkAccess<P> const& source) {
    if (!source.shards || source.lends()) return 0;
    return source.form.encoded_bound() * (source.takes_whole_shards() + source.joins());
  }

  void select(ChunkAccess<P> const& source, Plan const& plan, std::uint64_t first, std::uint64_t last,
              To const& target) {
    chunks_.clear();
    tasks_.clear();
    decoding_.placer = nullptr;
    found_.clear();  // until the chunks are found, an error is of the key that it names
    auto const strides = plan.strides_in(target.strides);
    plan.for_each_piece(first, last, [&](Piece const& piece) {
      auto& slot = chunks_.add(source, plan, piece);
      auto const bytes = static_cast<std::size_t>(slot.wanted.size);  // of a chunk, which memory holds
      slot.direct = {};
      if (goes_direct && !plan.is_scattered() && is_contiguous(source.form.layout, piece.part, bytes, strides) &&
          plan.has_one_part(piece))
        slot.direct = {address(target.data, piece.part.target, target.strides), bytes};
    });
    if constexpr (is_of_host)
      if (source.store.can.reads_in_turn && last - first == 1 && source.form.is_view() && !chunks_[0].direct.data &&
          plan.is_box() && !has_booleans(source))
        if (auto const tiles = tiles_of(source.form.layout, plan.steps(), chunks_[0].piece.part, strides))
          chunks_.cut(source, *tiles, plan.steps());
  }

  // The chunk that an error is of, if it is of one. A store's error is of a key, and many chunks of a shard have it.
  ChunkRead<P> const* slot_of(Error const& error) {
    std::span<ChunkRead<P> const> const slots = chunks_.all();
    if (slots.empty()) return nullptr;
    if (!error.key().empty()) return beyond_end(slots, error);
    if (locate_.failed_together()) return nullptr;
    auto const chunk = error.chunk();
    return &slots[chunk && *chunk < found_.size() ? found_[*chunk] : 0];
  }

  void decode(ChunkAccess<P> const& source, Queue& on) {
    for (std::size_t i = 0; i < chunks_.size(); ++i)
      if (chunks_[i].found) {
        tasks_.push_back({chunks_[i].encoded, chunks_[i].direct});
        found_.push_back(i);
      }
    if constexpr (std::same_as<bytes_space, array_space>)
      if (source.form.is_view()) return see_elements();
    (void)checked_product(chunks_.size(), source.form.decoded_size, "a mini-batch");  // sums do not wrap
    std::uint64_t rest = 0;  // bytes that are not decoded right into the target
    for (std::size_t t = 0; goes_direct && t < tasks_.size(); ++t)
      if (!tasks_[t].to.data) rest += chunks_[found_[t]].wanted.size;
    if constexpr (!goes_direct)  // missing ones too, lest memory grow when fewer are missing
      for (auto const& slot : chunks_.all()) rest += slot.wanted.size;
    auto const bytes = checked_size(rest, "a mini-batch");
    auto const destination = seen_in<array_space>(decoded_.take(bytes, queue_in<typename P::array_staging>(on)));
    std::size_t next = 0;  // in their order: neighbours cross in one copy
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      if (tasks_[t].to.data) continue;
      tasks_[t].to = destination.sub(next, static_cast<std::size_t>(chunks_[found_[t]].wanted.size));
      next += tasks_[t].to.size;
    }
    decoding_.most = chunks_.size();
    decoding_.apart = source.lends();
    decoding_.ahead = true;  // this is lent when the queue is done with it
    decoding_.is_placed = has_unjoined;
    source.pipeline.decode(source.form, std::span{tasks_}, decoding_, on);
  }

  // What is stored are the elements, those that are wanted.
  void see_elements() {
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      auto const& wanted = chunks_[found_[t]].wanted;
      expect_size(tasks_[t].encoded.size, static_cast<std::size_t>(wanted.size), t);
      tasks_[t].decoded = tasks_[t].encoded;
    }
  }

  static bool has_booleans(ChunkAccess<P> const& source) {
    return array_space::host_accessible && source.form.chunk.type.kind == DataKind::boolean;
  }
  static PlacementForm form_of(ChunkAccess<P> const& source, Plan const& plan, To const& target) {
    auto const& layout = source.form.layout;
    auto const item_size = [&]() -> std::size_t {
      if constexpr (HasPlacer<To>)
        return target.placer.item_size;
      else
        return layout.item_size;
    }();
    return {item_size,
            layout.swapped,
            source.fill,
            stepped(layout.strides, plan.steps()),
            plan.strides_in(target.strides),
            plan.elements() >= beyond_caches / item_size,
            layout.runs};
  }
  // From what there is of the slot's chunk.
  static Placement<array_space> placement(ChunkAccess<P> const& source, ChunkRead<P> const& slot, Part const& part,
                                          std::byte const* decoded, To const& target) {
    auto const from = offset(part.first, source.form.layout.strides) - static_cast<std::int64_t>(slot.wanted.offset);
    return {decoded + from, address(target.data, part.target, target.strides), part.count};
  }

  // The target's own, or that of a codec that left its bytes where it decoded them to.
  auto placer_here(To const& target) const {
    if constexpr (has_unjoined)
      return PlacerOrUsual<array_space>{decoding_.placer};
    else
      return placer_of<array_space>(target);
  }

  std::uint64_t place_tile(ChunkAccess<P> const& source, ChunkRead<P> const& slot, Plan const& plan, To const& target,
                           Queue& on) {
    expect_size(slot.encoded.size, static_cast<std::size_t>(slot.wanted.size), 0);
    auto const form = form_of(source, plan, target);
    PartPlacer placing{placements_, form, queue_in<array_space>(on), placer_of<array_space>(target)};
    placing.add(placement(source, slot, slot.piece.part, slot.encoded.data, target));
    return placing.finish();
  }

  std::uint64_t place(ChunkAccess<P> const& source, Plan const& plan, To const& target, Queue& on) {
    auto const form = form_of(source, plan, target);
    if (plan.is_scattered()) return place_listed(source, plan, target, form, on);
    PartPlacer placing{placements_, form, queue_in<array_space>(on), placer_here(target)};
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      auto const& slot = chunks_[found_[t]];
      auto const decoded = tasks_[t].decoded.data;
      bool const is_there = slot.is_tile || (decoded == slot.direct.data && decoded);
      if (is_there && !has_booleans(source)) continue;
      plan.for_each_part(slot.piece, [&](Part const& part) {
        auto const next = placement(source, slot, part, decoded, target);
        if constexpr (array_space::host_accessible)
          if (has_booleans(source)) expect_booleans(next, form.from_strides, t);
        if (!is_there) placing.add(next);
      });
    }
    for (auto const& slot : chunks_.all())
      if (!slot.found)
        plan.for_each_part(slot.piece, [&](Part const& part) {
          placing.add({nullptr, address(target.data, part.target, target.strides), part.count});
        });
    return placing.finish();
  }

  std::uint64_t place_listed(ChunkAccess<P> const& source, Plan const& plan, To const& target,
                             PlacementForm const& form, Queue& on) {
    ListedPlacer placing{listed_,
                         plan,
                         source.form.layout,
                         target.strides,
                         Direction::to_memory,
                         form,
                         queue_in<array_space>(on),
                         placer_here(target)};
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      auto const& slot = chunks_[found_[t]];
      auto const* const chunk = tasks_[t].decoded.data - slot.wanted.offset;
      placing.add(slot.piece, chunk, target.data, t, has_booleans(source));
    }
    for (auto const& slot : chunks_.all())
      if (!slot.found) placing.add(slot.piece, nullptr, target.data, 0);
    return placing.finish();
  }

  ChunkReads<P> chunks_;
  WatchedShards watched_;
  ShardLocator<P> locate_;
  ChunkFetcher<P> fetch_;
  std::vector<DecodeTask<bytes_space, array_space>> tasks_;
  std::vector<std::size_t> found_;  // the slot of each task
  typename P::Decoding decoding_;
  Scratch<typename P::array_staging> decoded_;
  std::vector<Placement<array_space>> placements_;
  ListedBatch<array_space> listed_;
};

}  // namespace detail

/// Reads what is `selected`, by a ResolvedSelection or a Plan, into the target, in the queue's order. Missing chunks
/// are the fill value. Throws: StoreError, CodecError with the key, Cancelled; then all of the mini-batches that had
/// ended is placed, some or none of the one with the error, and nothing else. The target is in use until the queue is
/// done. `To` is a StridedSpan, or array/converted.hpp's.
template <class P, class Selected, class To = StridedSpan<typename P::array_space>>
void read_chunks(ChunkAccess<P> const& source, Selected const& selected, To const& target, typename P::queue_type& on,
                 ReadOptions const& options = {}) {
  using Batch = detail::ReadBatch<P, To>;
  auto const shard = source.shards ? source.shards->grid().chunks_per_shard() : Extents{};
  auto const& plan = detail::planned(selected, source.form.layout.shape, shard);
  auto const batches = Batch::batches(source, plan, on, options);
  detail::run_batches<Batch>(batches, options, on, [&](auto const& lease, std::uint64_t first, std::uint64_t last) {
    lease()->run(source, plan, first, last, target, on, options);
  });
}

}}  // namespace tessera::v0
