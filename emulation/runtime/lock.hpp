// A lock and a signal that ThreadSanitizer does not see: the runtime's work under its lock must not look like an order
// that CUDA gives. Uses the kernel's futexes directly.
#pragma once
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <ctime>

namespace emulation {

/// Sleeps while `word` is `value`, until woken or for `milliseconds` (0: without end). Between processes too.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value, unsigned milliseconds = 0) {
  timespec const time{static_cast<std::time_t>(milliseconds / 1000),
                      static_cast<long>(milliseconds % 1000) * 1'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, milliseconds == 0 ? nullptr : &time, nullptr, 0);
}

inline void futex_wake(std::atomic<std::uint32_t>& word, int how_many = INT_MAX) {
  syscall(SYS_futex, &word, FUTEX_WAKE, how_many, nullptr, nullptr, 0);
}

/// 0: free, 1: held, 2: held and waited for.
class Lock {
 public:
  void lock() {
    std::uint32_t seen = 0;
    if (state_.compare_exchange_strong(seen, 1, std::memory_order_acquire)) return;
    while (state_.exchange(2, std::memory_order_acquire) != 0) futex_wait(state_, 2);
  }
  void unlock() {
    if (state_.exchange(0, std::memory_order_release) == 2) futex_wake(state_, 1);
  }

 private:
  std::atomic<std::uint32_t> state_{0};
};

/// Wakes all that wait for a change. Waiting releases the lock meanwhile.
class Change {
 public:
  void tell() {
    count_.fetch_add(1, std::memory_order_release);
    futex_wake(count_);
  }
  void wait(Lock& lock, unsigned milliseconds = 0) {
    auto const seen = count_.load(std::memory_order_acquire);
    lock.unlock();
    futex_wait(count_, seen, milliseconds);
    lock.lock();
  }

 private:
  std::atomic<std::uint32_t> count_{0};
};

}  // namespace emulation
