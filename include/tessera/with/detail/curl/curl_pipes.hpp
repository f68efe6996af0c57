// QuietPipes: blocks SIGPIPE, which ends a program that writes to a connection closed by the other side.
#pragma once
#include <csignal>
#include <ctime>

#include <pthread.h>
#include <signal.h>

namespace tessera { inline namespace v0 {
namespace http {

/// During its lifetime, this thread gets no SIGPIPE. TLS libraries write without MSG_NOSIGNAL; cURL would ignore the
/// signal for the whole process meanwhile, or, before 7.88 and with CURLOPT_NOSIGNAL, not at all.
class QuietPipes {
 public:
  QuietPipes() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    was_pending_ = is_pending();
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  QuietPipes(QuietPipes const&) = delete;
  QuietPipes& operator=(QuietPipes const&) = delete;
  ~QuietPipes() {
    timespec const now{};
    while (!was_pending_ && is_pending()) ::sigtimedwait(&pipe_, nullptr, &now);  // raised meanwhile: discarded
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  static bool is_pending() {
    sigset_t pending;
    ::sigpending(&pending);
    return ::sigismember(&pending, SIGPIPE) == 1;
  }

  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

}  // namespace http
}}  // namespace tessera::v0
