// MiniBatches: passes chunks through a pipeline in mini-batches, several in flight, within a memory budget, for every
// read and write.
#pragma once
#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>

#include <tessera/core/error.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>

namespace tessera { inline namespace v0 {

/// For ReadOptions::mini_batch: every chunk passes a codec before any chunk passes the next. The opposite is 1: chunks
/// pass one by one.
inline constexpr std::size_t every_chunk = ~std::size_t{0};

/// Called when a mini-batch is done, or is queued completely on a device, by one thread at a time. An exception from it
/// ends the work.
using Progress = std::function<void(std::uint64_t done, std::uint64_t chunks)>;

namespace detail {

/// `chunks` chunks in mini-batches of `size`.
struct Batches {
  std::uint64_t chunks, size;
  std::size_t in_flight;
  std::uint64_t bytes = 0;  // of one, approximately; limits the memory that a queue keeps
  bool in_parts = true;     // chunks may be decoded in part: the budget has room for the memory that this takes
  std::uint64_t count() const { return chunks / size + (chunks % size != 0); }
  /// How many of the host's threads have a mini-batch each.
  std::size_t lanes(std::size_t threads) const;
};

// Host: about 1 MiB, which stays in the cache between steps; small chunks few enough that their bookkeeping does not
// displace it. Device: the bytes its bus transfers in 0.1 ms, many times the cost of a launch.
struct UsualBatch {
  std::uint64_t bytes, chunks;
  std::size_t waiting;   // mini-batches finished by the threads but not by the queue
  std::uint64_t beside;  // bytes beside the chunks: placement tables, and rounding of pinned memory
  std::size_t in_flight = 0;  // 0: one for each thread plus `waiting`, and every thread has several
};
inline constexpr UsualBatch usual_on_host{std::uint64_t{1} << 20, 32, 0, 0};
inline constexpr UsualBatch usual_on_device{std::uint64_t{4} << 20, 1024, 2, std::uint64_t{320} << 10};

// A device decoder uses few threads per chunk, so a mini-batch of one lasts about as long as one of hundreds:
// milliseconds per MiB. Two use an eighth of the free memory, within this bound. Only device decoders use memory of
// their own.
inline constexpr std::uint64_t most_in_device = std::uint64_t{2} << 30;
// Pinned memory beyond what a queue keeps would be allocated anew by each read or write.
inline constexpr std::uint64_t most_through_pinned = std::uint64_t{512} << 20;
template <class Queue>
UsualBatch usual_of(ResolvedChunk const& form, UsualBatch usual, Queue const& on, std::uint64_t most) {
  if constexpr (requires { on.free_memory(); }) {
    constexpr std::uint64_t least = 16 << 20;
    if (form.decoders == 0) return usual;
    auto const chunks = on.free_memory() / 16 / std::max<std::uint64_t>(form.memory(), 1);
    usual.bytes = std::clamp(chunks * std::min<std::uint64_t>(form.decoded_size, most), least, most);
    usual.chunks = 8192, usual.in_flight = 2;
  }
  return usual;
}

// `changes`: chunks may be read, changed and written back. `beside`: additional bytes per chunk. Throws:
// BudgetError, if one chunk exceeds the budget.
template <class Options>
Batches batches_of(Options const& options, std::uint64_t chunks, ResolvedChunk const& form, std::size_t threads,
                   UsualBatch const& usual, bool changes = false, std::uint64_t beside = 0) {
  auto const whole = std::max<std::uint64_t>(form.decoded_size, 1);
  auto const bytes = options.mini_batch_bytes ? options.mini_batch_bytes.value()
                     : options.mini_batch     ? ~std::uint64_t{0}
                                              : usual.bytes;
  // Gives every thread several, unless the caller sets the number.
  auto const most = options.mini_batch ? options.mini_batch.value()
                    : usual.in_flight  ? usual.chunks
                                       : std::min(usual.chunks, chunks / (4 * threads));
  Batches result{chunks, std::min<std::uint64_t>(bytes / whole, most),
                 options.in_flight ? options.in_flight.value()
                 : usual.in_flight ? usual.in_flight
                                   : threads + usual.waiting};
  constexpr std::uint64_t about_it = 4608;  // bookkeeping per chunk: its place, its key, its tasks
  auto const each = form.memory(changes) + beside + about_it;
  if (options.memory != 0) {
    auto once = usual.beside + (changes ? 0 : form.part_memory);  // a mini-batch decodes one part at a time
    result.in_parts = options.memory >= once + each;
    if (!result.in_parts) once = usual.beside;
    auto const alone = once + each;
    if (options.memory < alone)
      throw BudgetError{to_text(
          {"a chunk takes ", alone, " bytes of memory, expected at most the budget of ", options.memory.value()})};
    result.in_flight = static_cast<std::size_t>(std::min<std::uint64_t>(result.in_flight, options.memory / alone));
    result.size = std::min(result.size, (options.memory / result.in_flight - once) / each);
  }
  if (form.varying && options.memory != 0) result.size = result.in_flight = 1;  // one chunk may need the whole budget
  result.size = std::clamp<std::uint64_t>(result.size, 1, std::max<std::uint64_t>(chunks, 1));  // sums do not overflow
  result.bytes = result.size > ~std::uint64_t{0} / 64 / each ? ~std::uint64_t{0} / 64 : result.size * each;
  return result;
}

// The state of a mini-batch, and its bytes of memory: a queue frees the excess over its bound when the work ends.
template <class Work>
struct Weighed : Work {
  std::uint64_t bytes = 0;
  std::uint64_t held() const { return bytes; }
};

/// Mini-batches under way, each done by one of the queue's threads with a Work that the queue keeps:
///
///   on.host().for_each(work.lanes(), [&](std::size_t) {
///     for (auto lane = work.lane(); lane.next();) lane.lease()->run(lane.first(), lane.last());
///   });
///
/// After the first error no mini-batch begins; for_each throws the error when all that began have ended.
template <class Work, class Queue>
class MiniBatches {
 public:
  /// The arguments outlive this.
  template <class Options>
  MiniBatches(Batches const& batches, Options const& options, Queue& on)
      : batches_{batches},
        lanes_{batches.lanes(on.host().threads())},
        stop_{options.stop},
        progress_(options.progress),
        on_{on} {}
  MiniBatches(MiniBatches const&) = delete;
  ~MiniBatches() { on_.host().settle(); }

  std::size_t lanes() const { return lanes_; }

  /// The mini-batches of one thread, for a loop.
  class Lane {
   public:
    explicit Lane(MiniBatches& all) : all_{all} {}
    Lane(Lane const&) = delete;
    ~Lane() {  // after an exception no other mini-batch begins
      all_.next_.store(all_.batches_.count(), std::memory_order_relaxed);
    }

    /// Whether there is another one. Throws: exceptions of the caller's Progress.
    bool next() {
      if (last_ > first_) all_.tell_of(last_ - first_);
      auto const& batches = all_.batches_;
      auto const i = all_.next_.fetch_add(1, std::memory_order_relaxed);
      first_ = last_ = 0;
      if (i >= batches.count()) return false;
      first_ = i * batches.size, last_ = std::min(first_ + batches.size, batches.chunks);
      return true;
    }
    std::uint64_t first() const { return first_; }
    std::uint64_t last() const { return last_; }

    /// Lends one Work; at most `in_flight` exist, each lent again when the queue is done with it. Throws: Cancelled.
    auto lease() const {
      expect_going(all_.stop_);
      auto lent = all_.on_.template lease<Weighed<Work>>(all_.batches_.in_flight - all_.lanes_ + 1);
      lent->bytes = std::max(lent->bytes, all_.batches_.bytes);  // it never shrinks
      return lent;
    }

   private:
    MiniBatches& all_;
    std::uint64_t first_ = 0, last_ = 0;  // chunks
  };
  Lane lane() { return Lane{*this}; }

 private:
  void tell_of(std::uint64_t chunks) {
    if (!progress_) return;
    std::lock_guard lock{mutex_};
    progress_(done_ += chunks, batches_.chunks);
  }

  Batches const& batches_;
  std::size_t const lanes_;
  Stop const stop_;
  Progress const& progress_;
  Queue& on_;
  std::atomic<std::uint64_t> next_{0};
  std::mutex mutex_;
  std::uint64_t done_ = 0;
};

template <class Q>
inline constexpr UsualBatch const& usual_on = std::same_as<Q, Queue<space::Host>> ? usual_on_host : usual_on_device;

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/batches.ipp>
#endif
