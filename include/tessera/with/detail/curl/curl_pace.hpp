// Pace: how many requests to a server may be under way: few at first, more with its answers.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>

#include <unistd.h>

namespace tessera { inline namespace v0 {
namespace http {

/// What an answer, or its absence, tells about the server.
enum class Answered { keeps_connection, closes_connection, too_much };

/// Shared by all threads that use copies of a store. Many connections at once overflow a small server's queue, and
/// dropped ones are tried again only after seconds.
///
/// An answer whose connection stays open admits one more request when it begins: the number doubles with each round
/// trip, however long the answers are. One that closes its connection does not, because the next request needs another.
/// A second without an answer doubles the number: the server is slow. A refusal, a "too many" answer, an answer that
/// breaks off, and a connection made at the second try halve it.
class Pace {
  using Clock = std::chrono::steady_clock;

 public:
  Pace(std::size_t first, std::size_t most) : most_{most}, allowed_{std::min(first, most)} {}

  /// Whether one more request may start; then `give_back` ends it.
  bool take() {
    see_fork();
    auto now = under_way_.load();
    if (now == 0) heard_.store(Clock::now());
    if (now >= allowed_.load()) see_silence();
    while (now < allowed_.load())
      if (under_way_.compare_exchange_weak(now, now + 1)) return true;
    return false;
  }
  void give_back() { --under_way_; }

  void hear(Answered how) {
    heard_.store(Clock::now());
    if (how == Answered::keeps_connection)
      change([&](std::size_t now) { return std::min(now + 1, most_); });
    else if (how == Answered::too_much)
      change([](std::size_t now) { return std::max<std::size_t>(now / 2, 1); });
  }

 private:
  template <class F>
  void change(F&& f) {
    auto now = allowed_.load();
    while (!allowed_.compare_exchange_weak(now, f(now))) {
    }
  }
  void see_silence() {
    auto heard = heard_.load();
    auto const now = Clock::now();
    if (now - heard < std::chrono::seconds{1} || !heard_.compare_exchange_strong(heard, now)) return;
    change([&](std::size_t allowed) { return std::min(2 * allowed, most_); });
  }
  // A child made by fork() lacks the threads whose requests are under way.
  void see_fork() {
    auto const here = ::getpid();
    if (process_.exchange(here) != here) under_way_.store(0);
  }

  std::size_t const most_;
  std::atomic<std::size_t> allowed_, under_way_{0};
  std::atomic<Clock::time_point> heard_{Clock::time_point{}};
  std::atomic<pid_t> process_{::getpid()};
};

}  // namespace http
}}  // namespace tessera::v0
