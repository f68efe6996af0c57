// The host's queue: functions run in the calling thread, or by a pool of threads that the caller sized.
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
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <unistd.h>

#include <tessera/core/function_ref.hpp>
#include <tessera/memory/object_pool.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// One for_each under way. It lives on the stack of the thread that called.
struct Job {
  FunctionRef<void(std::size_t)> run;
  std::size_t count;
  std::atomic<std::size_t> next{0};
  std::size_t helpers = 0;     // pool threads at work on it; guarded by the pool's mutex, as are the next two
  std::exception_ptr error{};  // the first one
  Job* older = nullptr;

  void work(std::mutex& mutex) {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) try {
        run(i);
      } catch (...) {
        next.store(count, std::memory_order_relaxed);
        std::lock_guard lock{mutex};
        if (!error) error = std::current_exception();
      }
  }
  bool unfinished() const { return next.load(std::memory_order_relaxed) < count; }
};

class Pool {
 public:
  explicit Pool(std::size_t threads) : size_{std::max<std::size_t>(threads, 1)} {}
  ~Pool() {
    {
      std::lock_guard lock{mutex_};
      stop_ = true;
    }
    work_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  void run(Job& job) {
    {
      std::lock_guard lock{mutex_};
      try {
        if (threads_.empty()) process_.store(::getpid(), std::memory_order_relaxed);
        while (threads_.size() + 1 < size_) threads_.emplace_back([this] { serve(); });
      } catch (std::system_error const&) {  // no more threads to be had: those that are there do the work
      }
      job.older = std::exchange(newest_, &job);
    }
    work_.notify_all();
    job.work(mutex_);
    std::unique_lock lock{mutex_};
    for (Job** at = &newest_; *at; at = &(*at)->older)
      if (*at == &job) {
        *at = job.older;
        break;
      }
    done_.wait(lock, [&] { return job.helpers == 0; });
  }

  /// fork() copies the pool and not its threads: in the child it can neither be given work nor be destroyed, which
  /// would wait for them.
  bool lost_its_threads() const {
    auto const process = process_.load(std::memory_order_relaxed);
    return process != 0 && process != ::getpid();
  }

  std::size_t size() const { return size_; }
  ObjectPool& kept() { return kept_; }
  std::atomic<std::uint64_t>& most_idle() { return most_idle_; }

 private:
  static constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

  void serve() {
    std::unique_lock lock{mutex_};
    for (;;) {
      Job* job = newest_;  // the newest first: an inner for_each is what an outer one waits for
      while (job && !job->unfinished()) job = job->older;
      if (!job) {
        if (stop_) return;
        work_.wait(lock);
        continue;
      }
      ++job->helpers;
      lock.unlock();
      job->work(mutex_);
      lock.lock();
      if (--job->helpers == 0) done_.notify_all();
    }
  }

  ObjectPool kept_;  // outlives the threads
  std::mutex mutex_;
  std::condition_variable work_, done_;
  Job* newest_ = nullptr;
  bool stop_ = false;
  std::size_t const size_;
  std::atomic<std::uint64_t> most_idle_{std::max<std::uint64_t>(size_ * mebibyte * 64, mebibyte * 320)};
  std::vector<std::thread> threads_;
  std::atomic<::pid_t> process_{0};  // whose threads they are; 0: there are none yet
};

}  // namespace detail

/// Nothing to wait for: what a host queue was given is done when its call returns.
template <>
class Event<space::Host> {};

/// A handle: copies are the same queue. `Queue{}` runs everything in the calling thread. `Queue{n}` runs one for_each
/// on n threads, one of which is the caller. The threads start at the first for_each that can use them and end with the
/// last handle. Any thread may use the queue, also from a task that runs in it. After fork() the child has only the
/// calling thread, and may use the queue if nothing ran in it at the fork; a queue made in the child is like any other.
template <>
class Queue<space::Host> {
 public:
  Queue() : Queue{1} {}
  /// Takes the scratch memory of reads and writes from this resource, and the memory of buffers that are made on this
  /// queue and use a resource (PmrBuffer). The resource outlives the queue and these buffers, and threads may share it.
  explicit Queue(std::size_t threads, std::pmr::memory_resource* resource = std::pmr::new_delete_resource())
      : pool_{new detail::Pool{threads}, Destroy{}}, resource_{resource} {}

  /// A queue with as many threads as there are processors: the default of an array, and of a device's queue.
  static Queue of_all_processors() { return Queue{std::thread::hardware_concurrency()}; }

  std::size_t threads() const { return pool_->size(); }
  std::pmr::memory_resource* resource() const { return resource_; }

  /// Calls f(i) for each i below n, in any order and on any of the threads, and waits for all of them. Throws: the
  /// first exception; after it no further call begins.
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

  /// What f(i) returns for each i below n, in their order; else as for_each.
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

  /// A T that this queue keeps: used again by whoever asks next. How many may be idle is a question for a device's
  /// queue: here nothing uses what was given back. Requires: the queue outlives the lease.
  template <class T>
  Lease<T> lease(std::size_t = 1) {
    return pool_->kept().lease<T>();
  }

  /// Frees everything that the queue keeps and has not lent: scratch memory and contexts of codecs, which the next work
  /// makes anew. For any thread.
  void trim() const { pool_->kept().trim(); }
  /// Limits the scratch memory that the queue keeps when a read or write is done, to about so many bytes. The default
  /// is 320 MiB, or 64 MiB for each thread if that is more. During the work the limit does not apply.
  void keep_idle(std::uint64_t most) const { pool_->most_idle() = most, settle(); }
  std::uint64_t most_idle() const { return pool_->most_idle(); }
  /// Applies that limit: a piece of work has ended.
  void settle() const { pool_->kept().trim_to(most_idle()); }

  /// The host's queue that belongs to this one, here itself: every kind of queue has one.
  Queue& host() { return *this; }

  /// No conversion: where a device's queue is asked for, the compiler finds this and says what to write.
  template <MemorySpace Other>
  requires(!std::same_as<Other, space::Host>) operator Queue<Other>&() const {
    static_assert(sizeof(Other) == 0,
                  "tessera: this is a queue of the host, and the work asked for is done in the order of a device's: "
                  "give a Queue<space::Device>");
    __builtin_unreachable();
  }

  /// Returns when everything that was queued is done: here at once, because a call returns when its work is done.
  void wait() {}
  /// Holds an object until everything that was queued is done.
  template <class T>
  void keep(T) {}

  Event<space::Host> record() { return {}; }
  void after(Event<space::Host> const&) {}
  /// Waits for the event, which is a device queue's.
  template <class E>
  requires requires(E const& event) { event.wait(); }
  void after(E const& event) { event.wait(); }

 private:
  struct Destroy {
    void operator()(detail::Pool* pool) const {
      if (!pool->lost_its_threads()) delete pool;
    }
  };
  std::shared_ptr<detail::Pool> pool_;
  std::pmr::memory_resource* resource_;
};

/// What code for every space requires of a queue. A lease of a device queue ends when the work that was queued before
/// it was given back is done: then the host too may use what is lent next.
template <class Q>
concept WorkQueue = std::copyable<Q> && requires(Q& on, int object) {
  { on.host() } -> std::same_as<Queue<space::Host>&>;
  { *on.template lease<int>() } -> std::same_as<int&>;
  on.keep(object);
  on.wait();
  on.after(on.record());
};
static_assert(WorkQueue<Queue<space::Host>>);

/// The queue for memory of space S that belongs to `on`: its host queue, or `on` itself.
template <MemorySpace S, class AnyQueue>
queue_for<S>& queue_in(AnyQueue& on) {
  if constexpr (std::same_as<S, space::Host>)
    return on.host();
  else
    return on;
}

}}  // namespace tessera::v0
