// try_until_true, lock_mutex: waiting for locks, with an end.
#pragma once
#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The end of a patience that begins now: at most in a year, because the clock cannot add every number of seconds.
TESSERA_DECL std::chrono::steady_clock::time_point end_of(std::chrono::seconds patience);

/// Calls `try_it()` until it is true, with pauses from 20 microseconds up to 5 milliseconds: other ways to wait for a
/// mutex or a file lock ignore `stop`. Throws: Cancelled; any exception of `try_it`.
template <class F>
void try_until_true(Stop stop, F&& try_it) {
  using namespace std::chrono_literals;
  for (std::chrono::microseconds pause = 20us; !try_it(); pause = std::min<std::chrono::microseconds>(2 * pause, 5ms)) {
    expect_going(stop);
    std::this_thread::sleep_for(pause);
  }
}

/// Locks a mutex that another thread may hold for long. Throws: Cancelled.
inline std::unique_lock<std::mutex> lock_mutex(std::mutex& mutex, Stop stop) {
  if (!stop) return std::unique_lock{mutex};
  std::unique_lock lock{mutex, std::defer_lock};
  try_until_true(stop, [&] { return lock.try_lock(); });
  return lock;
}

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/waiting.ipp>
#endif
