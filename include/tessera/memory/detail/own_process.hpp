// OwnProcess: the process in which an object was made. fork() copies objects, but not their threads.
#pragma once
#include <unistd.h>

namespace tessera { inline namespace v0 { namespace detail {

class OwnProcess {
 public:
  /// False in a child of fork() that has a copy of this.
  bool is_here() const { return id_ == ::getpid(); }

 private:
  ::pid_t id_ = ::getpid();
};

}}}  // namespace tessera::v0::detail
