#pragma once
#include <tessera/cache/detail/moves_lock.hpp>

#include <algorithm>
#include <mutex>
#include <thread>

#include <tessera/core/error.hpp>
#include <tessera/store/detail/waiting.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void MovesLock::lock() {
  expect_outside();
  enter();
  try {
    lock_mutex(mutex_, stop_).release();
  } catch (...) {
    leave();
    throw;
  }
}

TESSERA_DECL void MovesLock::unlock() noexcept {
  mutex_.unlock();
  leave();
}

TESSERA_DECL void MovesLock::expect_outside() {
  std::lock_guard const lock{marks_};
  if (std::ranges::find(inside_, std::this_thread::get_id()) == inside_.end()) return;
  throw Error{
      "a cache was called from a function that it called: a policy or a read's progress can query the cache and hold "
      "chunks in it, but cannot load, write or write back any"};
}

TESSERA_DECL void MovesLock::enter() {
  std::lock_guard const lock{marks_};
  inside_.push_back(std::this_thread::get_id());
}

TESSERA_DECL void MovesLock::leave() noexcept {
  std::lock_guard const lock{marks_};
  inside_.erase(std::ranges::find(inside_, std::this_thread::get_id()));
}

}}}  // namespace tessera::v0::detail
