// Pool: the threads of a host queue, for the jobs of its for_each and for tasks that it started.
#pragma once
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <unistd.h>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/memory/detail/object_pool.hpp>

namespace tessera { inline namespace v0 { namespace detail {

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

// A function that runs once. Its owner keeps it until `Pool::finish` returned.
class Task {
 public:
  using Then = void (*)(void*);

  std::exception_ptr error{};

 protected:
  ~Task() = default;

 private:
  friend class Pool;
  enum class State { queued, runs, done };

  virtual void run() = 0;
  void run_and_catch();

  State state_ = State::queued;  // guarded by the pool's mutex, like the rest
  Task *before_ = nullptr, *behind_ = nullptr;
  Then then_ = nullptr;
  void* argument_ = nullptr;
};

class Pool {
 public:
  explicit Pool(std::size_t threads) : size_{std::max<std::size_t>(threads, 1)} {}
  ~Pool();
  void run(Job& job);

  /// One of the threads will run the task; without threads it is run at once.
  void start(Task& task);
  /// Waits until the task has run. Runs it, if none of the threads has begun, or they were lost.
  void finish(Task& task);
  bool is_done(Task const& task);
  /// The thread that runs the task calls `then(argument)` after it. False: the task is done, and nothing is called.
  bool call_behind(Task& task, Task::Then then, void* argument);
  /// Cancels that call.
  void forget(Task& task);

  /// fork() copies the pool without its threads: the child must neither give it work nor destroy it, which would wait
  /// for them.
  bool lost_its_threads() const;
  /// Whether the calling thread is one of the pool's, which cannot destroy it.
  bool is_here() const;

  std::size_t size() const { return size_; }
  ObjectPool& kept() { return kept_; }
  std::atomic<std::uint64_t>& most_idle() { return most_idle_; }

 private:
  static constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

  void have_threads(std::size_t count);
  void serve();
  Job* unfinished_job() const;
  void take_out(Task& task);
  void run_taken(Task& task, std::unique_lock<std::mutex>& lock);

  ObjectPool kept_;  // outlives the threads
  std::mutex mutex_;
  std::condition_variable work_, done_;
  Job* newest_ = nullptr;
  Task *first_ = nullptr, *last_ = nullptr;
  bool stop_ = false;
  std::size_t const size_;
  std::atomic<std::uint64_t> most_idle_{std::max<std::uint64_t>(size_ * mebibyte * 64, mebibyte * 320)};
  std::vector<std::thread> threads_;
  std::atomic<::pid_t> process_{0};  // the process of the threads; 0: not started
};

/// Ends a pool, in whatever thread its last handle is destroyed.
struct EndPool {
  void operator()(Pool* pool) const;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/memory/detail/pool.ipp>
#endif
