// ProcessThread: a thread that a child made by fork() does not have.
#pragma once
#include <thread>
#include <utility>

#include <unistd.h>

namespace tessera { inline namespace v0 { namespace ipc { namespace detail {

/// Join it before its destruction, if `is_here()`. A child must not touch the thread object: its id may be that of a
/// thread of the child, which would be joined or detached instead.
class ProcessThread {
 public:
  ProcessThread() : thread_{} {}
  ProcessThread(ProcessThread const&) = delete;
  ProcessThread& operator=(ProcessThread const&) = delete;
  ~ProcessThread() {
    if (is_here()) thread_.~thread();
  }

  template <class F>
  void start(F run) {
    thread_ = std::thread{std::move(run)};
  }
  void join() { thread_.join(); }
  /// Whether this is the process that made it.
  bool is_here() const { return process_ == ::getpid(); }

 private:
  pid_t process_ = ::getpid();
  union {
    std::thread thread_;
  };
};

}}}}  // namespace tessera::v0::ipc::detail
