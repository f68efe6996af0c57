// ReadBatch: one mini-batch of a read: locate, fetch, decode, place.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/pipeline/detail/batch.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/transfer/detail/batch_parts.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>
#include <tessera/transfer/detail/chunk_reads.hpp>
#include <tessera/transfer/detail/read_placer.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A mini-batch under way. The queue keeps its buffers for reuse.
template <class P>
class ReadBatch {
  using array_space = typename P::array_space;
  using bytes_space = typename P::bytes_space;
  using Queue = typename P::queue_type;
  using Target = StridedSpan<array_space>;
  static constexpr bool is_of_host = std::same_as<bytes_space, space::Host> && std::same_as<array_space, space::Host>;

 public:
  /// The pieces [first, last) of a plan; `in_parts`: of which parts may be decoded alone.
  struct Pieces {
    std::uint64_t first, last;
    bool in_parts;
  };

  /// Reads these pieces, with `threads` host threads to fetch values.
  void run(ChunkAccess<P> const& source, Plan const& plan, Pieces const& pieces, Target const& target,
           std::size_t threads, Queue& on, ReadOptions const& options) try {
    select(source, plan, pieces, target);
    decoding_.most_payload = options.memory ? options.memory.value() : most_varying;
    FetchLimits const limits{options};
    ReadPlacer<P> placer{source, plan, target, placing_, on};
    Counts counts;
    decoding_.beside = 0;
    auto const together = decoded_together(source, options);
    // Chunks of pinned memory on a device's queue: the next ones are decoded into the same memory.
    bool const waits = ChunkAccess<P>::is_on_host && !is_of_host && together != every_chunk;
    auto const place_ready = [&](std::span<ChunkRead<P>> ready) {
      if constexpr (ChunkAccess<P>::is_on_host) {
        if (ready.front().is_tile) {
          counts.placed += placer.place_tile(ready.front());
          return;
        }
        auto const at = static_cast<std::size_t>(ready.data() - chunks_.all().data());
        try {
          for (std::size_t from = at, to = at, end = at + ready.size(); from < end; from = to) {
            to += std::min(together, end - from);
            decode(source, target, from, to, on);
            counts.placed += placer.place(slots(), tasks_, found_, decoding_);
            if (waits) on.wait();
          }
        } catch (Error& error) {  // named before it passes the stores, which name themselves and keys of their own
          if (auto const* const slot = slot_of(error)) source.blame(error, slot->key, slot->piece.chunk);
          throw;
        }
        for (auto& slot : ready) slot.is_placed = true;
        forget_pass();
      }
    };
    fetch_.run(source, limits, chunks_.all(), threads, options.stop, place_ready, on);
    // At once, or around those that have arrived before.
    for (std::size_t from = 0, to = 0; from < chunks_.size(); from = to) {
      to = from + 1;
      if (chunks_[from].is_placed) continue;
      while (to < chunks_.size() && to - from < together && !chunks_[to].is_placed) ++to;
      decode(source, target, from, to, on);
      counts.placed += placer.place(slots(), tasks_, found_, decoding_);
      if (waits) on.wait();
    }
    count(source, counts);
    fetch_.give_back(on);
    Traffic* const traffic = options.traffic;
    if (!traffic) return;
    auto const chunks = pieces.last - pieces.first;  // the tiles of one chunk count as one
    traffic->chunks += chunks;
    traffic->missing += counts.missing * chunks / chunks_.size();
    traffic->fetched += counts.fetched;
    traffic->decoded += counts.decoded;
    traffic->placed += counts.placed;
  } catch (Error& error) {
    if (auto const* const slot = slot_of(error)) source.blame(error, slot->key, slot->piece.chunk);
    error.in_store(source.store.name());
    throw;
  }

 private:
  struct Counts {
    std::uint64_t missing = 0, fetched = 0, decoded = 0, placed = 0;
  };

  // On a device all elements are placed by one launch, whether or not they are contiguous.
  static bool goes_direct(Target const& target) { return array_space::host_accessible && !target.placer; }

  // Chunks that pass the codecs in lock step. What comes from far has mini-batches for the network, whose decoded bytes
  // would leave the cache before they are placed.
  static std::size_t decoded_together(ChunkAccess<P> const& source, ReadOptions const& options) {
    if (!source.places_arrivals() || options.mini_batch != 0) return every_chunk;
    auto const each = std::max<std::uint64_t>(source.form.decoded_size, 1);
    return std::max<std::size_t>(static_cast<std::size_t>(usual_on_host.bytes / each), 1);
  }

  void select(ChunkAccess<P> const& source, Plan const& plan, Pieces const& pieces, Target const& target) {
    chunks_.clear();
    forget_pass();
    auto const strides = plan.strides_in(target.strides);
    plan.for_each_piece(pieces.first, pieces.last, [&](Piece const& piece) {
      auto& slot = chunks_.add(source, plan, piece, pieces.in_parts);
      auto const bytes = static_cast<std::size_t>(slot.wanted.size);  // part of a chunk, which fits in memory
      slot.direct = {};
      if ((goes_direct(target) || is_of_host) && !plan.is_scattered() &&
          is_contiguous(source.form.layout, piece.part, bytes, strides) && plan.has_one_part(piece)) {
        auto* to = address(target.data, piece.part.target, target.strides);
        if (target.placer) to = target.placer->direct(to, piece.part.count, strides);
        if (to) slot.direct = {to, bytes};
      }
    });
    if constexpr (is_of_host)
      if (source.store.can.reads_in_turn && pieces.last - pieces.first == 1 && source.form.is_view() &&
          !chunks_[0].direct.data && plan.is_box() && !has_booleans(source))
        if (auto const tiles = tiles_of(source.form.layout, plan.steps(), chunks_[0].piece.part, strides))
          chunks_.cut(source, *tiles, plan.steps());
  }

  // The chunk that an error concerns, if known. A store's error names a key, which many chunks of a shard share.
  ChunkRead<P> const* slot_of(Error const& error) {
    std::span<ChunkRead<P> const> const all = chunks_.all();
    if (all.empty()) return nullptr;
    if (!error.key().empty()) return beyond_end(all, error);
    if (fetch_.failed_together()) return nullptr;
    auto const chunk = error.chunk();
    return &all[from_ + (chunk && *chunk < found_.size() ? found_[*chunk] : 0)];
  }

  // Until chunks are found, an error concerns the key that it names.
  void forget_pass() {
    from_ = to_ = 0;
    tasks_.clear();
    found_.clear();
  }
  // The chunks that are decoded together.
  std::span<ChunkRead<P> const> slots() { return chunks_.all().subspan(from_, to_ - from_); }

  // At the end, because a chunk may arrive more than once.
  void count(ChunkAccess<P> const& source, Counts& counts) {
    counts.decoded = decoding_.beside;
    for (auto const& slot : chunks_.all()) {
      if (!slot.found) {
        ++counts.missing;
        continue;
      }
      counts.fetched += slot.encoded.size - slot.unread;
      if (!source.form.is_view()) counts.decoded += slot.wanted.size;
    }
  }

  void decode(ChunkAccess<P> const& source, Target const& target, std::size_t from, std::size_t to, Queue& on) {
    forget_pass();
    from_ = from, to_ = to;
    decoding_.placer = nullptr;
    decoding_.are_ranges = false;
    auto const slots = this->slots();
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (slots[i].found) {
        tasks_.push_back({slots[i].encoded, slots[i].direct});
        if (is_part(slots[i], source.form)) tasks_.back().part = slots[i].wanted;
        decoding_.are_ranges |= !slots[i].stored.is_whole();
        found_.push_back(i);
      }
    if constexpr (std::same_as<bytes_space, array_space>)
      if (source.form.is_view()) return see_elements();
    (void)checked_product(slots.size(), source.form.decoded_size, "a mini-batch");  // sums do not overflow
    std::uint64_t rest = 0;  // bytes not decoded directly into the target
    if (goes_direct(target)) {
      for (std::size_t t = 0; t < tasks_.size(); ++t)
        if (!tasks_[t].to.data) rest += slots[found_[t]].wanted.size;
    } else {  // missing ones too, so that memory does not grow when fewer are missing
      for (auto const& slot : slots) rest += slot.wanted.size;
    }
    auto const bytes = checked_size(rest, "a mini-batch");
    auto const destination = seen_in<array_space>(decoded_.take(bytes, queue_in<typename P::array_staging>(on)));
    std::size_t next = 0;  // in order: neighbours cross in one copy
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      if (tasks_[t].to.data) continue;
      tasks_[t].to = destination.sub(next, static_cast<std::size_t>(slots[found_[t]].wanted.size));
      next += tasks_[t].to.size;
    }
    decoding_.most = slots.size();
    decoding_.apart = source.lends();
    decoding_.ahead = true;  // the queue is done with this object when it is leased
    decoding_.is_placed = ReadPlacer<P>::takes_unjoined(target);
    source.pipeline.decode(source.form, std::span{tasks_}, decoding_, on);
  }

  // The stored bytes are the wanted elements.
  void see_elements() {
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      auto const& wanted = slots()[found_[t]].wanted;
      expect_size(tasks_[t].encoded.size, static_cast<std::size_t>(wanted.size), t);
      tasks_[t].decoded = tasks_[t].encoded;
    }
  }

  ChunkReads<P> chunks_;
  BatchParts<P> fetch_;
  std::vector<DecodeTask<bytes_space, array_space>> tasks_;
  std::size_t from_ = 0, to_ = 0;   // of the chunks: those decoded together
  std::vector<std::size_t> found_;  // the slot of each task, among these
  typename P::Decoding decoding_;
  Scratch<typename P::array_staging> decoded_;
  typename ReadPlacer<P>::Buffers placing_;
};

}}}  // namespace tessera::v0::detail
