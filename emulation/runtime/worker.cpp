#include "worker.hpp"

#include <pthread.h>

#include <memory>
#include <utility>

#include "report.hpp"
#include "sanitizer.hpp"

namespace emulation {
namespace {

enum State : std::uint32_t { idle, asked, ending };

thread_local void const* current = nullptr;

}  // namespace

struct Worker::Shared {
  std::atomic<std::uint32_t> state{idle};
  std::function<void()> work;

  // Hides the synchronisation between the two threads, which would order them where CUDA does not.
  static void* serve(void* argument) {
    sanitizer::Hidden const hidden;
    std::unique_ptr<Shared> const shared(static_cast<Shared*>(argument));
    current = shared.get();
    for (;;) {
      auto const state = shared->state.load(std::memory_order_acquire);
      if (state == ending) return nullptr;
      if (state == idle) {
        futex_wait(shared->state, idle);
        continue;
      }
      auto const work = std::exchange(shared->work, {});
      // From here on the next may be requested, by this very work too.
      std::uint32_t expected = asked;
      shared->state.compare_exchange_strong(expected, idle, std::memory_order_acq_rel);
      futex_wake(shared->state);
      sanitizer::Seen const seen;
      work();
    }
  }
};

Worker::Worker() : shared_(new Shared) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, std::size_t{1} << 20);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, &Shared::serve, shared_) != 0) mistake({"no thread for a stream"});
  pthread_attr_destroy(&attributes);
}

Worker::~Worker() {
  shared_->state.store(ending, std::memory_order_release);
  futex_wake(shared_->state);
}

void Worker::start(std::function<void()> work) {
  while (shared_->state.load(std::memory_order_acquire) == asked) futex_wait(shared_->state, asked);
  shared_->work = std::move(work);
  shared_->state.store(asked, std::memory_order_release);
  futex_wake(shared_->state);
}

void Worker::run(std::function<void()> const& work) {
  if (current == shared_) {
    sanitizer::Seen const seen;
    return work();
  }
  std::atomic<std::uint32_t> ended{0};
  start([&] {
    work();
    ended.store(1, std::memory_order_release);
    futex_wake(ended);
  });
  while (ended.load(std::memory_order_acquire) == 0) futex_wait(ended, 0);
}

bool Worker::here() { return current != nullptr; }

}  // namespace emulation
