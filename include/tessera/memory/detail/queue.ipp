#pragma once
#include <tessera/memory/queue.hpp>

#include <atomic>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <thread>
#include <utility>

#include <unistd.h>

#include <tessera/core/config.hpp>
#include <tessera/memory/detail/pool.hpp>

namespace tessera { inline namespace v0 { namespace detail {

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
    pool = {new detail::Pool{std::thread::hardware_concurrency()}, detail::EndPool{}};
    shared.pool = pool;
  }
  return Queue{std::move(pool)};
}

}}  // namespace tessera::v0
