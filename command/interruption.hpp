// Ctrl-C ends long work with an exception, so that unfinished output is removed.
#pragma once
#include <atomic>
#include <cstddef>
#include <exception>
#include <iterator>

#include <signal.h>

#include <tessera/core/error.hpp>

namespace cli {

/// Ends the command as the signal would have.
struct Interrupted : std::exception {
  Interrupted(int number, bool kept) : signal{number}, stays{kept} {}
  char const* what() const noexcept override {
    return stays ? "interrupted; --resume goes on with it" : "interrupted; nothing of it stays";
  }
  int signal;
  bool stays;  ///< what was made so far
};

/// During its life, the first SIGINT, SIGTERM or SIGHUP is kept until the command checks for it; a second one ends the
/// program at once. Requires: one at a time.
class Interruption {
 public:
  Interruption() {
    caught_ = 0, is_caught_ = false;
    struct sigaction action {};
    action.sa_handler = [](int number) { caught_ = number, is_caught_ = true; };
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    for (std::size_t i = 0; i < std::size(signals); ++i) ::sigaction(signals[i], nullptr, &before_[i]);
    for (std::size_t i = 0; i < std::size(signals); ++i)
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &action, nullptr);  // nohup stays as it is
  }
  Interruption(Interruption const&) = delete;
  Interruption& operator=(Interruption const&) = delete;
  ~Interruption() {
    for (std::size_t i = 0; i < std::size(signals); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  }

  /// Throws: Interrupted, if a signal came.
  static void check(bool stays = false) {
    if (int const number = caught_.load(std::memory_order_relaxed)) throw Interrupted{number, stays};
  }

  /// True once a signal came: waits for a server or a lock then end.
  static tessera::Stop stop() { return &is_caught_; }

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
  static inline std::atomic<int> caught_{0};  // a handler can reach nothing else
  static inline std::atomic<bool> is_caught_{false};
  struct sigaction before_[std::size(signals)];
};

}  // namespace cli
