// The executor: chunks go through a pipeline in mini-batches, several of them in flight, within a budget of memory.
// Every read and every write is done by it; they differ in what they do with one mini-batch.
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
#include <tessera/pipeline/form.hpp>

namespace tessera { inline namespace v0 {

/// For ReadOptions::mini_batch: every chunk passes a codec before any chunk passes the next. At the other end is 1:
/// each chunk goes its way alone.
inline constexpr std::size_t every_chunk = ~std::size_t{0};

/// Called when a mini-batch is done, or all of it is in a device's queue, by one thread at a time: so many chunks of so
/// many. What it throws ends the work.
using Progress = std::function<void(std::uint64_t done, std::uint64_t chunks)>;

/// `stop` became true.
struct Cancelled : detail::Located<Cancelled> {
  using Located::Located;
};

namespace detail {

/// Throws: Cancelled, if `stop` is given and true.
inline void expect_going(std::atomic<bool> const* stop) {
  if (stop && stop->load(std::memory_order_relaxed)) throw Cancelled{"cancelled"};
}

/// So many mini-batches of so many chunks.
struct Batches {
  std::uint64_t chunks, size;
  std::size_t in_flight;
  std::uint64_t bytes = 0;  // that one takes up, about; what a queue keeps of them is held to a bound
  std::uint64_t count() const { return chunks / size + (chunks % size != 0); }
  /// Of so many threads of the host, those that each have a mini-batch.
  std::size_t lanes(std::size_t threads) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>({threads, in_flight, count()}));
  }
};

// On the host about a MiB, which stays in the cache from one step to the next, and not so many small chunks that what
// is known of them displaces it. For a device what its bus takes in a tenth of a millisecond: many times what a launch
// costs.
struct UsualBatch {
  std::uint64_t bytes, chunks;
  std::size_t waiting;   // mini-batches that the threads are done with and the queue is not
  std::uint64_t beside;  // bytes beside the chunks': tables of placing, and what page-locked memory is rounded up to
  std::size_t in_flight = 0;  // 0: one for each thread and those that wait, and every thread has several
};
inline constexpr UsualBatch usual_on_host{std::uint64_t{1} << 20, 32, 0, 0};
inline constexpr UsualBatch usual_on_device{std::uint64_t{4} << 20, 1024, 2, std::uint64_t{320} << 10};

// A device's decoder gives a chunk few of its threads, so a mini-batch of one takes it about as long as one of
// hundreds: milliseconds for a MiB. Two take an eighth of the memory that is free, and so many bytes at most. Only
// decoders of a device use memory of their own.
inline constexpr std::uint64_t most_in_device = std::uint64_t{2} << 30;
// More page-locked memory than a queue keeps would be made anew by each read or write.
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

// `changes`: chunks may be read, changed and written back. `beside`: bytes that a chunk takes more. Throws:
// SelectionError, if a chunk alone takes more than the budget.
template <class Options>
Batches batches_of(Options const& options, std::uint64_t chunks, ResolvedChunk const& form, std::size_t threads,
                   UsualBatch const& usual, bool changes = false, std::uint64_t beside = 0) {
  auto const whole = std::max<std::uint64_t>(form.decoded_size, 1);
  auto const bytes = options.mini_batch_bytes ? options.mini_batch_bytes
                     : options.mini_batch     ? ~std::uint64_t{0}
                                              : usual.bytes;
  // So that every thread has some, unless the caller says how many.
  auto const most = options.mini_batch ? options.mini_batch
                    : usual.in_flight  ? usual.chunks
                                       : std::min(usual.chunks, chunks / (4 * threads));
  Batches result{chunks, std::min<std::uint64_t>(bytes / whole, most),
                 options.in_flight ? options.in_flight
                 : usual.in_flight ? usual.in_flight
                                   : threads + usual.waiting};
  constexpr std::uint64_t about_it = 4096;  // bytes that are known of a chunk: its place, its key, what shall be done
  auto const each = form.memory(changes) + beside + about_it;
  if (options.memory != 0) {
    auto const alone = usual.beside + each;
    if (options.memory < alone)
      throw SelectionError{
          text({"a chunk takes ", alone, " bytes of memory, expected at most the budget of ", options.memory})};
    result.in_flight = static_cast<std::size_t>(std::min<std::uint64_t>(result.in_flight, options.memory / alone));
    result.size = std::min(result.size, (options.memory / result.in_flight - usual.beside) / each);
  }
  if (form.varying && options.memory != 0) result.size = result.in_flight = 1;  // it may need all of the budget
  result.size = std::clamp<std::uint64_t>(result.size, 1, std::max<std::uint64_t>(chunks, 1));  // sums do not wrap
  result.bytes = result.size > ~std::uint64_t{0} / 64 / each ? ~std::uint64_t{0} / 64 : result.size * each;
  return result;
}

// What a mini-batch needs, and how much memory that may be: more than a queue may keep goes when the work is done.
template <class Work>
struct Weighed : Work {
  std::uint64_t bytes = 0;
  std::uint64_t held() const { return bytes; }
};

/// Calls run(lease, first, last) for each mini-batch, by the threads of the queue. `lease()` lends a Work that the
/// queue keeps, one at a time: there are `in_flight` of them at most, and one is lent again when the queue has done
/// what was queued with it. After the first error no mini-batch begins, and it is thrown when all that began have
/// ended.
template <class Work, class Options, class Queue, class F>
void run_batches(Batches const& batches, Options const& options, Queue& on, F&& run) {
  auto const count = batches.count();
  auto const lanes = batches.lanes(on.host().threads());
  auto const lease = [&] {
    expect_going(options.stop);
    auto lent = on.template lease<Weighed<Work>>(batches.in_flight - lanes + 1);
    lent->bytes = std::max(lent->bytes, batches.bytes);  // it stays as large as it has become
    return lent;
  };
  struct Settled {
    Queue& on;
    ~Settled() { on.host().settle(); }
  } const settled{on};
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;
  std::uint64_t done = 0;
  on.host().for_each(lanes, [&](std::size_t) {
    try {
      for (std::uint64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) {
        auto const first = i * batches.size, last = std::min(first + batches.size, batches.chunks);
        run(lease, first, last);
        if (!options.progress) continue;
        std::lock_guard lock{mutex};
        options.progress(done += last - first, batches.chunks);
      }
    } catch (...) {
      next.store(count, std::memory_order_relaxed);
      throw;
    }
  });
}

template <class Q>
inline constexpr UsualBatch const& usual_on = std::same_as<Q, Queue<space::Host>> ? usual_on_host : usual_on_device;

}  // namespace detail
}}  // namespace tessera::v0
