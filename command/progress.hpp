// A progress line on stderr for long work: what is done, and how far it is.
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

#include "quantities.hpp"
#include "read_count.hpp"

namespace cli {

/// Shown only if stderr is a terminal, after the first second, and erased at the end. If the system gives no thread to
/// draw it, the work continues without.
class Progress {
 public:
  /// `what` names the work: "reading". Requires: `done`, which other threads count up to `total`, lives longer, and so
  /// does `reads`, whose requests and bytes per second are shown if it is given.
  Progress(char const* what, std::atomic<std::uint64_t> const& done, std::uint64_t total,
           ReadCount const* reads = nullptr)
      : what_{what}, reads_{reads} {
    if (total > 0)
      begin([&done, total] {
        return static_cast<double>(done.load(std::memory_order_relaxed)) / static_cast<double>(total);
      });
  }
  /// The progress is unknown.
  explicit Progress(char const* what) : what_{what} {
    begin([] { return unknown; });
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
  using Clock = std::chrono::steady_clock;
  static constexpr double unknown = -1;

  template <class F>
  void begin(F part) {
    if (!::isatty(STDERR_FILENO)) return;
    try {
      thread_ = std::thread{[this, part] { watch(part); }};
    } catch (std::system_error const&) {
    }
  }

  template <class F>
  void watch(F part) {
    using namespace std::chrono_literals;
    auto const start = Clock::now();
    std::unique_lock lock{mutex_};
    auto pause = 1000ms;
    bool shown = false;
    while (!wake_.wait_for(lock, pause, [this] { return over_; })) {
      draw(part(), std::chrono::duration<double>(Clock::now() - start).count());
      shown = true;
      pause = 100ms;
    }
    if (shown) std::fputs("\r\x1b[K", stderr);
  }

  // "[####      ]  40 %  reading, 12 s left", or "erasing, 12 s"; ", 80 requests, 2.1 MiB/s" of reads.
  void draw(double part, double seconds) const {
    char line[128];
    if (part == unknown) {
      std::snprintf(line, sizeof line, "\r%s, %.0f s\x1b[K", what_, seconds);
    } else {
      constexpr std::size_t width = 40;
      part = std::min(part, 1.0);
      auto const filled = static_cast<std::size_t>(part * width);
      auto const size = std::snprintf(line, sizeof line, "\r[%s%s] %3d %%  %s", std::string(filled, '#').c_str(),
                                      std::string(width - filled, ' ').c_str(), static_cast<int>(part * 100), what_);
      if (part > 0) {
        auto const rest = static_cast<std::size_t>(size);
        std::snprintf(line + rest, sizeof line - rest, ", %.0f s left\x1b[K", seconds / part - seconds);
      }
    }
    std::fputs(line, stderr);
    if (reads_) {
      auto const rate = static_cast<std::uint64_t>(static_cast<double>(reads_->bytes) / seconds);
      std::fprintf(stderr, ", %s, %s/s", count(reads_->requests, "request").c_str(), human(rate).c_str());
    }
    std::fflush(stderr);
  }

  char const* what_;
  ReadCount const* reads_ = nullptr;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace cli
