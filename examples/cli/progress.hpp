// A bar on stderr, for work that takes longer than a person likes to wait without one.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include <unistd.h>

namespace cli {

/// Shown only where stderr is a terminal, from the first second on, and gone when this is. Where the system gives no
/// thread to draw it the work goes on without.
class Progress {
 public:
  /// Requires: `done`, which other threads count up to `total`, lives longer.
  Progress(std::atomic<std::uint64_t> const& done, std::uint64_t total) {
    if (total == 0 || !::isatty(STDERR_FILENO)) return;
    try {
      thread_ = std::thread{[this, &done, total] { watch(done, total); }};
    } catch (std::system_error const&) {
    }
  }
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;
  ~Progress() {
    if (!thread_.joinable()) return;
    {
      std::lock_guard lock{mutex_};
      over_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

 private:
  void watch(std::atomic<std::uint64_t> const& done, std::uint64_t total) {
    using namespace std::chrono_literals;
    std::unique_lock lock{mutex_};
    auto pause = 1000ms;
    bool shown = false;
    while (!wake_.wait_for(lock, pause, [this] { return over_; })) {
      draw(static_cast<double>(done.load(std::memory_order_relaxed)) / static_cast<double>(total));
      shown = true;
      pause = 100ms;
    }
    if (shown) std::fputs("\r\x1b[K", stderr);
  }

  static void draw(double part) {
    constexpr std::size_t width = 40;
    auto const filled = std::min(static_cast<std::size_t>(part * width), width);
    std::fprintf(stderr, "\r[%s%s] %3d %%", std::string(filled, '#').c_str(), std::string(width - filled, ' ').c_str(),
                 static_cast<int>(part * 100));
    std::fflush(stderr);
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace cli
