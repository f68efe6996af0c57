// Queue<space::Host>: functions run in the calling thread, or by a thread pool of a given size.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <memory_resource>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/memory/detail/pool.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

/// An event that is always done, because work of a host queue is done when its call returns.
template <>
class Event<space::Host> {};

/// A pool of threads. Copies of a Queue are the same queue. `Queue{}` runs everything in the calling thread. `Queue{n}`
/// runs a for_each on n threads, one of which is the caller. The threads start at the first for_each that can use them
/// and end with the last handle. Any thread may use the queue, and so may a task that runs on it. After fork(), the
/// child may use the queue only if no work was running on it at the fork; it then runs everything in the calling
/// thread. Queues that the child makes work as usual.
template <>
class Queue<space::Host> {
 public:
  Queue() : Queue{1} {}
  /// Takes the scratch memory of reads and writes from this resource, and the memory of buffers that are made on this
  /// queue and use a resource (PmrBuffer). The resource must outlive the queue and these buffers, and be thread-safe.
  explicit Queue(std::size_t threads, std::pmr::memory_resource* resource = std::pmr::new_delete_resource())
      : pool_{new detail::Pool{threads}, detail::EndPool{}}, resource_{resource} {}

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

  /// Calls f() once on one of the threads, and returns at once. The threads begin calls in order. If no thread has
  /// begun f when a thread waits for the Pending, the waiting thread calls f. If the queue has only one thread, f is
  /// called before this returns. `wait` throws what f threw; `detach` and the destructor wait too. Throws:
  /// std::bad_alloc.
  template <std::invocable F>
  Pending start(F f) const {
    return Pending{std::make_unique<Started<F>>(pool_, std::move(f))};
  }

  /// Lends an object of type T, which the queue keeps for later leases. The argument has a meaning only for a device
  /// queue. Requires: the queue outlives the lease.
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
  /// Frees what exceeds the limit of keep_idle. tessera calls it at the end of reads and writes.
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

  template <class F>
  class Started final : public Pending::Work, detail::Task {
   public:
    Started(std::shared_ptr<detail::Pool> pool, F&& f) : pool_{std::move(pool)}, f_{std::move(f)} {
      pool_->start(*this);
    }
    ~Started() override { pool_->finish(*this); }
    bool is_done() override { return pool_->is_done(*this); }
    void wait() override {
      pool_->finish(*this);
      if (error) std::rethrow_exception(error);
    }
    bool call_behind(void (*then)(void*), void* argument) override { return pool_->call_behind(*this, then, argument); }
    void forget() override { pool_->forget(*this); }

   private:
    void run() override { static_cast<void>(f_()); }

    std::shared_ptr<detail::Pool> pool_;  // ends behind f, which may hold handles of the queue
    F f_;
  };

  std::shared_ptr<detail::Pool> pool_;
  std::pmr::memory_resource* resource_;
};

/// What code for every space requires of a queue. A lease of a device queue ends when the work queued before its return
/// is done, so that the host, too, may use the object next.
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
