// Repeated timing of some work.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace cli {

/// Seconds of one run.
struct Timing {
  double median = 0, least = 0, most = 0;
};

/// The work to time. Very short work runs several times in a sample, which then is its mean.
class Samples {
 public:
  /// Runs it once, so that memory is mapped and threads have started. Calls `before` before each sample; a sample is
  /// one run.
  explicit Samples(std::function<void()> work, std::function<void()> before = {})
      : work_{std::move(work)}, before_{std::move(before)} {
    constexpr double sample = 5e-3;  // seconds
    constexpr double most = 1000;
    auto const once = seconds(1);
    if (!before_) times_ = static_cast<std::size_t>(std::clamp(sample / std::max(once, 1e-9), 1.0, most));
  }

  void take() {
    if (before_) before_();
    taken_.push_back(seconds(times_));
  }
  /// Requires: one was taken.
  Timing timing() {
    std::sort(taken_.begin(), taken_.end());
    auto const n = taken_.size();
    return {(taken_[(n - 1) / 2] + taken_[n / 2]) / 2, taken_.front(), taken_.back()};
  }

 private:
  double seconds(std::size_t times) {
    auto const start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < times; ++i) work_();
    std::chrono::duration<double> const passed = std::chrono::steady_clock::now() - start;
    return passed.count() / static_cast<double>(times);
  }

  std::function<void()> work_, before_;
  std::size_t times_ = 1;
  std::vector<double> taken_;
};

}  // namespace cli
