// A thread, and a child made by fork(), which does not have it.
#pragma once
#include <thread>
#include <utility>

#include <unistd.h>

namespace tessera { inline namespace v0 { namespace ipc { namespace detail {

/// Join it before it goes, where `is_here()`. In a child nothing is done with it: what the parent's threads were known
/// by may be what a thread of the child's own is known by, which would be joined or detached in its place.
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
