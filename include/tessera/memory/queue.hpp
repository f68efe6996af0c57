// Queue<space::Host>: functions run in the calling thread, or by a thread pool of a given size.
#pragma once
#include <algorithm>
#include <atomic>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <unistd.h>

#include <tessera/core/function_ref.hpp>
#include <tessera/memory/detail/object_pool.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// One for_each in progress, on the stack of its caller.
struct Job {
  FunctionRef<void(std::size_t)> run;
  std::size_t count;
  std::atomic<std::size_t> next{0};
  std::size_t helpers = 0;     // pool threads that run it; guarded by the pool's mutex, like the next two
  std::exception_ptr error{};  // the first one
  Job* older = nullptr;

  void work(std::mutex& mutex);
  bool unfinished() const { return next.load(std::memory_order_relaxed) < count; }
};

class Pool {
 public:
  explicit Pool(std::size_t threads) : size_{std::max<std::size_t>(threads, 1)} {}
  ~Pool();
  void run(Job& job);

  /// fork() copies the pool without its threads: the child must neither give it work nor destroy it, which would wait
  /// for them.
  bool lost_its_threads() const;

  std::size_t size() const { return size_; }
  ObjectPool& kept() { return kept_; }
  std::atomic<std::uint64_t>& most_idle() { return most_idle_; }

 private:
  static constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

  void serve();

  ObjectPool kept_;  // outlives the threads
  std::mutex mutex_;
  std::condition_variable work_, done_;
  Job* newest_ = nullptr;
  bool stop_ = false;
  std::size_t const size_;
  std::atomic<std::uint64_t> most_idle_{std::max<std::uint64_t>(size_ * mebibyte * 64, mebibyte * 320)};
  std::vector<std::thread> threads_;
  std::atomic<::pid_t> process_{0};  // the process of the threads; 0: not started
};

}  // namespace detail

/// Nothing to wait for: work of a host queue is done when its call returns.
template <>
class Event<space::Host> {};

/// A handle: copies are the same queue. `Queue{}` runs everything in the calling thread. `Queue{n}` runs one for_each
/// on n threads, one of which is the caller. The threads start at the first for_each that can use them and end with the
/// last handle. Any thread may use the queue, also from a task that runs in it. After fork() the child has only the
/// calling thread, and may use the queue if nothing ran in it at the fork; queues made in the child work as usual.
template <>
class Queue<space::Host> {
 public:
  Queue() : Queue{1} {}
  /// Takes the scratch memory of reads and writes from this resource, and the memory of buffers that are made on this
  /// queue and use a resource (PmrBuffer). The resource must outlive the queue and these buffers, and be thread-safe.
  explicit Queue(std::size_t threads, std::pmr::memory_resource* resource = std::pmr::new_delete_resource())
      : pool_{new detail::Pool{threads}, Destroy{}}, resource_{resource} {}

  /// The queue of all processors, one thread for each: the default of an array, and of a device queue. All of these
  /// share its threads, its scratch memory and the limit of `keep_idle`. The threads end with the last handle. A child
  /// of fork() has its own. Throws: std::bad_alloc.
  static Queue of_all_processors();

  std::size_t threads() const { return pool_->size(); }
  std::pmr::memory_resource* resource() const { return resource_; }

  /// Calls f(i) for each i below n, in any order and on any of the threads, and waits for all calls. Throws: the first
  /// exception, after which no further call begins.
  template <class F>
  void for_each(std::size_t n, F&& f) const {
    if (n <= 1 || threads() == 1 || pool_->lost_its_threads()) {
      for (std::size_t i = 0; i < n; ++i) f(i);
      return;
    }
    detail::Job job{f, n};
    pool_->run(job);
    if (job.error) std::rethrow_exception(job.error);
  }

  /// The results of f(i) for each i below n, in order. Otherwise like for_each.
  template <class F>
  auto map(std::size_t n, F&& f) const {
    using Result = std::invoke_result_t<F&, std::size_t>;
    std::vector<std::optional<Result>> made(n);
    for_each(n, [&](std::size_t i) { made[i].emplace(f(i)); });
    std::vector<Result> results;
    results.reserve(n);
    for (auto& result : made) results.push_back(*std::move(result));
    return results;
  }

  /// Lends a T that this queue keeps and reuses. The argument matters only to a device queue, which may still use
  /// returned objects. Requires: the queue outlives the lease.
  template <class T>
  Lease<T> lease(std::size_t = 1) {
    return pool_->kept().lease<T>();
  }

  /// Frees everything that the queue keeps and has not lent: scratch memory and codec contexts, which later work makes
  /// again. Thread-safe.
  void trim() const { pool_->kept().trim(); }
  /// Limits the scratch memory that the queue keeps after a read or write to about `most` bytes. The default is 320
  /// MiB, or 64 MiB for each thread if that is more. The limit does not apply during the work.
  void keep_idle(std::uint64_t most) const { pool_->most_idle() = most, settle(); }
  std::uint64_t most_idle() const { return pool_->most_idle(); }
  /// Applies that limit at the end of work.
  void settle() const { pool_->kept().trim_to(most_idle()); }

  /// The host queue of this queue, here itself: every queue has one.
  Queue& host() { return *this; }

  /// No conversion: it exists only so that its error says what to write where a device queue is expected.
  template <MemorySpace Other>
  requires(!std::same_as<Other, space::Host>) operator Queue<Other>&() const {
    static_assert(sizeof(Other) == 0,
                  "tessera: found a host queue, expected a device queue: pass a Queue<space::Device>");
    __builtin_unreachable();
  }

  /// Returns at once: the work of a call is done when it returns.
  void wait() {}
  /// Holds an object until all queued work is done.
  template <class T>
  void keep(T) {}

  Event<space::Host> record() { return {}; }
  void after(Event<space::Host> const&) {}
  /// Waits for the event of a device queue.
  template <class E>
  requires requires(E const& event) { event.wait(); }
  void after(E const& event) { event.wait(); }

 private:
  explicit Queue(std::shared_ptr<detail::Pool> pool)
      : pool_{std::move(pool)}, resource_{std::pmr::new_delete_resource()} {}

  struct Destroy {
    void operator()(detail::Pool* pool) const {
      if (!pool->lost_its_threads()) delete pool;
    }
  };
  std::shared_ptr<detail::Pool> pool_;
  std::pmr::memory_resource* resource_;
};

/// What code for every space requires of a queue. A lease of a device queue ends when the work queued before its return
/// is done, so that the host may also use the object next.
template <class Q>
concept WorkQueue = std::copyable<Q> && requires(Q& on, int object) {
  { on.host() } -> std::same_as<Queue<space::Host>&>;
  { *on.template lease<int>() } -> std::same_as<int&>;
  on.keep(object);
  on.wait();
  on.after(on.record());
};
static_assert(WorkQueue<Queue<space::Host>>);

/// The queue of `on` for memory of space S: its host queue, or `on` itself.
template <MemorySpace S, class AnyQueue>
queue_for<S>& queue_in(AnyQueue& on) {
  if constexpr (std::same_as<S, space::Host>)
    return on.host();
  else
    return on;
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/memory/detail/queue.ipp>
#endif
