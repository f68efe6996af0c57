#pragma once
#include <tessera/memory/queue.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <unistd.h>

#include <tessera/core/function_ref.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void Job::work(std::mutex& mutex) {
  for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) try {
      run(i);
    } catch (...) {
      next.store(count, std::memory_order_relaxed);
      std::lock_guard lock{mutex};
      if (!error) error = std::current_exception();
    }
}

TESSERA_DECL Pool::~Pool() {
  {
    std::lock_guard lock{mutex_};
    stop_ = true;
  }
  work_.notify_all();
  for (auto& thread : threads_) thread.join();
}

TESSERA_DECL void Pool::run(Job& job) {
  {
    std::lock_guard lock{mutex_};
    try {
      if (threads_.empty()) process_.store(::getpid(), std::memory_order_relaxed);
      while (threads_.size() + 1 < size_) threads_.emplace_back([this] { serve(); });
    } catch (std::system_error const&) {  // no more threads available: the existing ones do the work
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

TESSERA_DECL bool Pool::lost_its_threads() const {
  auto const process = process_.load(std::memory_order_relaxed);
  return process != 0 && process != ::getpid();
}

TESSERA_DECL void Pool::serve() {
  std::unique_lock lock{mutex_};
  for (;;) {
    Job* job = newest_;  // newest first: an outer for_each waits for an inner one
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

// The pool of all default queues of a process, while there are any. A child of fork() makes its own: another thread of
// the parent may have held the mutex.
struct SharedPool {
  ::pid_t process;
  SharedPool* parents;
  std::mutex mutex{};
  std::weak_ptr<Pool> pool{};

  // Never destroyed: a queue may be made at the end of the program.
  static SharedPool& of_this_process() {
    static constinit std::atomic<SharedPool*> newest{nullptr};
    auto* found = newest.load(std::memory_order_acquire);
    auto const process = ::getpid();
    while (!found || found->process != process) {
      std::unique_ptr<SharedPool> own{new SharedPool{process, found}};
      if (newest.compare_exchange_strong(found, own.get(), std::memory_order_acq_rel)) return *own.release();
    }
    return *found;
  }
};

}  // namespace detail

TESSERA_DECL Queue<space::Host> Queue<space::Host>::of_all_processors() {
  auto& shared = detail::SharedPool::of_this_process();
  std::lock_guard lock{shared.mutex};
  auto pool = shared.pool.lock();
  if (!pool) {
    pool = {new detail::Pool{std::thread::hardware_concurrency()}, Destroy{}};
    shared.pool = pool;
  }
  return Queue{std::move(pool)};
}

}}  // namespace tessera::v0
