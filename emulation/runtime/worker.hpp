// A stream's own thread: it runs user code, host functions at any time and, under ThreadSanitizer, which must see who
// did what, kernels and the ranges of copies.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>

#include "lock.hpp"

namespace emulation {

class Worker {
 public:
  Worker();
  Worker(Worker const&) = delete;
  Worker& operator=(Worker const&) = delete;
  /// Ends the thread after the last requested work.
  ~Worker();

  /// Queues `work` there, and returns at once. May be called by that work.
  void start(std::function<void()> work);
  /// Runs `work` there and returns when it has ended.
  void run(std::function<void()> const& work);

  /// Whether the calling thread is a stream's, in a host function, where calls of the runtime are not allowed.
  static bool here();

 private:
  struct Shared;
  Shared* shared_;  ///< lives until the thread has ended
};

}  // namespace emulation
