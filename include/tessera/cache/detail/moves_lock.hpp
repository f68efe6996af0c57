// MovesLock: the lock for making, moving and writing back a cache's chunks. It refuses threads that must not wait for
// it.
#pragma once
#include <mutex>
#include <thread>
#include <vector>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The cache calls functions of the program: a policy, a read's progress, a store. They may call the cache, in any
/// thread, while their caller waits for them. There, waiting for this lock would never end, and is an error instead.
class MovesLock {
 public:
  /// `stop` ends a wait for the lock.
  explicit MovesLock(Stop stop) : stop_{stop} {}

  /// Throws: Error, in a thread that has the lock or is in a `call`; Cancelled.
  void lock();
  void unlock() noexcept;
  /// Throws: Error, in such a thread.
  void expect_outside();

  /// Calls f, a function of the program, in any thread, with or without the lock.
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
  void enter();
  void leave() noexcept;

  Stop const stop_;
  std::mutex mutex_, marks_;
  std::vector<std::thread::id> inside_;  // may list a thread several times
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/cache/detail/moves_lock.ipp>
#endif
