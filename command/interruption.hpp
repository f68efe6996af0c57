// Ctrl-C ends long work with an exception, so that what is half made is taken away.
#pragma once
#include <atomic>
#include <cstddef>
#include <exception>
#include <iterator>

#include <signal.h>

namespace cli {

/// Ends the command as the signal would have.
struct Interrupted : std::exception {
  explicit Interrupted(int number) : signal{number} {}
  char const* what() const noexcept override { return "interrupted; nothing of it stays"; }
  int signal;
};

/// While there is one, the first SIGINT, SIGTERM or SIGHUP is kept until somebody asks; a second one ends the program
/// at once. Requires: one at a time.
class Interruption {
 public:
  Interruption() {
    caught_ = 0;
    struct sigaction action {};
    action.sa_handler = [](int number) { caught_ = number; };
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
  static void check() {
    if (int const number = caught_.load(std::memory_order_relaxed)) throw Interrupted{number};
  }

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
  static inline std::atomic<int> caught_{0};  // a handler reaches nothing else
  struct sigaction before_[std::size(signals)];
};

}  // namespace cli
