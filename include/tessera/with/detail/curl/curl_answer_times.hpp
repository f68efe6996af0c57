// AnswerTimes: how long a server's last answers took to begin, for the choice of when to hedge a read.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>

namespace tessera { inline namespace v0 {
namespace http {

/// Of requests that may be hedged: an answer to a write waits for its body. Shared by all threads that use copies of a
/// store.
class AnswerTimes {
  using Duration = std::chrono::steady_clock::duration;

 public:
  static constexpr std::size_t kept = 128;   ///< answers
  static constexpr std::size_t needed = 20;  ///< answers before there is a percentile

  void hear(Duration time) { times_[heard_++ % kept].store(time.count()); }

  /// The time within which `percent` of every hundred of the last answers began. nullopt: too few have.
  std::optional<Duration> percentile(unsigned percent) const {
    auto const count = std::min(heard_.load(), kept);
    if (count < needed) return std::nullopt;
    std::array<Duration::rep, kept> times{};
    for (std::size_t i = 0; i < count; ++i) times[i] = times_[i].load();
    auto* const found = times.data() + count * percent / 100;
    std::nth_element(times.data(), found, times.data() + count);
    return Duration{*found};
  }

 private:
  std::array<std::atomic<Duration::rep>, kept> times_{};
  std::atomic<std::size_t> heard_{0};
};

}  // namespace http
}}  // namespace tessera::v0
