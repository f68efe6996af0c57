#pragma once
#include <tessera/memory/detail/pool.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <unistd.h>

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

TESSERA_DECL void Task::run_and_catch() {
  try {
    run();
  } catch (...) {
    error = std::current_exception();
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

// Requires: mutex_ is locked.
TESSERA_DECL void Pool::have_threads(std::size_t count) {
  try {
    if (threads_.empty()) process_.store(::getpid(), std::memory_order_relaxed);
    while (threads_.size() < count) threads_.emplace_back([this] { serve(); });
  } catch (std::system_error const&) {  // no more threads available: the existing ones do the work
  }
}

TESSERA_DECL void Pool::run(Job& job) {
  {
    std::lock_guard lock{mutex_};
    have_threads(size_ - 1);
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

TESSERA_DECL void Pool::start(Task& task) {
  if (size_ > 1 && !lost_its_threads()) {
    std::lock_guard lock{mutex_};
    have_threads(size_);
    if (!threads_.empty()) {
      task.before_ = std::exchange(last_, &task);
      (task.before_ ? task.before_->behind_ : first_) = &task;
      work_.notify_one();
      return;
    }
  }
  task.run_and_catch();
  task.state_ = Task::State::done;
}

TESSERA_DECL void Pool::finish(Task& task) {
  if (lost_its_threads()) {
    if (task.state_ != Task::State::done) task.run_and_catch();
    task.state_ = Task::State::done;
    return;
  }
  std::unique_lock lock{mutex_};
  if (task.state_ == Task::State::queued) {
    take_out(task);
    run_taken(task, lock);
  }
  done_.wait(lock, [&] { return task.state_ == Task::State::done; });
}

TESSERA_DECL bool Pool::is_done(Task const& task) {
  if (lost_its_threads()) return task.state_ == Task::State::done;
  std::lock_guard lock{mutex_};
  return task.state_ == Task::State::done;
}

TESSERA_DECL bool Pool::call_behind(Task& task, Task::Then then, void* argument) {
  if (lost_its_threads()) return false;
  std::lock_guard lock{mutex_};
  if (task.state_ == Task::State::done) return false;
  task.then_ = then, task.argument_ = argument;
  return true;
}

TESSERA_DECL void Pool::forget(Task& task) {
  if (lost_its_threads()) return;
  std::lock_guard lock{mutex_};
  task.then_ = nullptr;
}

TESSERA_DECL bool Pool::lost_its_threads() const {
  auto const process = process_.load(std::memory_order_relaxed);
  return process != 0 && process != ::getpid();
}

TESSERA_DECL bool Pool::is_here() const {
  for (auto const& thread : threads_)
    if (thread.get_id() == std::this_thread::get_id()) return true;
  return false;
}

TESSERA_DECL Job* Pool::unfinished_job() const {
  Job* job = newest_;  // newest first: an outer for_each waits for an inner one
  while (job && !job->unfinished()) job = job->older;
  return job;
}

TESSERA_DECL void Pool::take_out(Task& task) {
  (task.before_ ? task.before_->behind_ : first_) = task.behind_;
  (task.behind_ ? task.behind_->before_ : last_) = task.before_;
  task.state_ = Task::State::runs;
}

// The task may be destroyed as soon as it is done.
TESSERA_DECL void Pool::run_taken(Task& task, std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  task.run_and_catch();
  lock.lock();
  auto const then = task.then_;
  auto* const argument = task.argument_;
  task.state_ = Task::State::done;
  done_.notify_all();
  if (!then) return;
  lock.unlock();
  then(argument);
  lock.lock();
}

TESSERA_DECL void Pool::serve() {
  std::unique_lock lock{mutex_};
  for (;;) {
    if (auto* const job = unfinished_job()) {  // before tasks: a read that was begun comes to its end
      ++job->helpers;
      lock.unlock();
      job->work(mutex_);
      lock.lock();
      if (--job->helpers == 0) done_.notify_all();
    } else if (auto* const task = first_) {
      take_out(*task);
      run_taken(*task, lock);
    } else if (stop_) {
      return;
    } else {
      work_.wait(lock);
    }
  }
}

TESSERA_DECL void EndPool::operator()(Pool* pool) const {
  if (pool->lost_its_threads()) return;
  if (!pool->is_here()) {
    delete pool;
  } else try {  // a function that ran behind a task held the last handle
      std::thread{[pool] { delete pool; }}.detach();
    } catch (std::system_error const&) {  // no more threads available: these sleep until the program ends
    }
}

}}}  // namespace tessera::v0::detail
