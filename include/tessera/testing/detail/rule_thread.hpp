// RuleThread: runs a rule that may never end. A deadlocked store cannot be stopped, but its thread can be abandoned.
#pragma once
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

namespace tessera { inline namespace v0 {
namespace testing::detail {

class RuleThread {
 public:
  /// Runs `rule`, which owns what it uses. False: it has not ended after `patience`, and its thread is abandoned.
  template <class Rule>
  bool run(std::chrono::milliseconds patience, Rule rule) {
    std::packaged_task<void()> task{std::move(rule)};
    auto const done = task.get_future();
    std::thread thread{std::move(task)};
    if (done.wait_for(patience) != std::future_status::ready) {
      std::lock_guard const lock{mutex_};
      is_abandoned_ = true;
      thread.detach();
      return false;
    }
    thread.join();
    return true;
  }

  bool is_abandoned() const {
    std::lock_guard const lock{mutex_};
    return is_abandoned_;
  }
  /// Blocks forever in an abandoned thread: the suite has returned, and what the rule would use may be gone.
  void stay_if_abandoned() {
    std::unique_lock lock{mutex_};
    if (is_abandoned_) never_.wait(lock, [] { return false; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable never_;
  bool is_abandoned_ = false;
};

}  // namespace testing::detail
}}  // namespace tessera::v0
