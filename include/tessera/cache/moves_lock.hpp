// The lock of who makes, moves or writes back chunks of a cache, which knows who must not wait for it.
#pragma once
#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The cache calls functions of the program's: a policy, a read's progress, a store. They may call the cache back, in
/// any thread, while its caller waits for them: then waiting for this lock would never end, and is an error instead.
class MovesLock {
 public:
  /// Throws: Error, in a thread that has the lock, or is in a `call`.
  void lock() {
    expect_outside();
    enter();
    mutex_.lock();
  }
  void unlock() noexcept {
    mutex_.unlock();
    leave();
  }
  /// Throws: likewise.
  void expect_outside() {
    std::lock_guard const lock{marks_};
    if (std::ranges::find(inside_, std::this_thread::get_id()) == inside_.end()) return;
    throw Error{
        "a cache was called by a function that it calls itself, a policy or a read's progress: there it may be asked "
        "what it has, and chunks that it has may be held, but none can be brought, written or written back"};
  }

  /// Calls f, a function of the program's: in a thread that has the lock, or that it waits for, or none.
  template <class F>
  decltype(auto) call(F&& f) {
    enter();
    struct Leave {
      MovesLock& lock;
      ~Leave() { lock.leave(); }
    } const leave{*this};
    return f();
  }

 private:
  void enter() {
    std::lock_guard const lock{marks_};
    inside_.push_back(std::this_thread::get_id());
  }
  void leave() noexcept {
    std::lock_guard const lock{marks_};
    inside_.erase(std::ranges::find(inside_, std::this_thread::get_id()));
  }

  std::mutex mutex_, marks_;
  std::vector<std::thread::id> inside_;  // a thread may be there several times
};

}}}  // namespace tessera::v0::detail
