// ReadyBatches: batches on their way from the thread that reads them to those that use them.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// In order. At most `most` batches are here or being read.
template <class Slot>
class ReadyBatches {
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds between_looks{50};

 public:
  explicit ReadyBatches(std::size_t most) : most_{most} { ready_.reserve(most); }

  /// For the reader: room for `count` batches. False: it was cancelled. Requires: count <= most.
  bool wait_for_room(std::size_t count) {
    std::unique_lock lock{mutex_};
    room_.wait(lock, [&] { return stop_ || ready_.size() + count <= most_; });
    return !stop_;
  }
  void put(std::unique_ptr<Slot> slot) {
    {
      std::lock_guard lock{mutex_};
      ready_.push_back(std::move(slot));
    }
    change_.notify_one();
  }
  /// No batch follows, because of the error if there is one.
  void end(std::exception_ptr error) {
    {
      std::lock_guard lock{mutex_};
      has_ended_ = true;
      error_ = std::move(error);
    }
    change_.notify_all();
  }

  /// For the user: the next batch, or null at the end. `look`, if given, is called several times a second during the
  /// wait, and ends it by throwing. Throws: Cancelled; the error at the end, once; what `look` throws.
  std::unique_ptr<Slot> take(FunctionRef<void()> const* look = nullptr) {
    std::unique_lock lock{mutex_};
    begin_wait();
    auto const is_over = [&] { return stop_ || has_ended_ || !ready_.empty(); };
    while (look && !change_.wait_for(lock, between_looks, is_over)) {
      lock.unlock();
      try {
        (*look)();
      } catch (...) {
        lock.lock();
        end_wait();
        throw;
      }
      lock.lock();
    }
    change_.wait(lock, is_over);
    end_wait();
    if (stop_) throw Cancelled{"the loader was cancelled"};
    if (ready_.empty()) {
      if (auto const error = std::exchange(error_, nullptr)) std::rethrow_exception(error);
      return nullptr;
    }
    auto slot = std::move(ready_.front());
    ready_.erase(ready_.begin());
    lock.unlock();
    room_.notify_one();
    return slot;
  }

  /// From any thread, at any time.
  void cancel() {
    {
      std::lock_guard lock{mutex_};
      stop_ = true;
    }
    room_.notify_all();
    change_.notify_all();
  }
  Stop stop() const { return &stop_; }  ///< of reads

  /// Seconds from the first take() to the end of the last one, and those of them in which a thread was in take().
  std::pair<double, double> times() const {
    std::lock_guard lock{mutex_};
    using Seconds = std::chrono::duration<double>;
    return {Seconds{last_ - first_}.count(), Seconds{waited_}.count()};
  }

 private:
  // Time in which several threads wait counts once. Requires: the mutex is locked.
  void begin_wait() {
    auto const now = Clock::now();
    if (first_ == Clock::time_point{}) first_ = now;
    if (waiting_++ == 0) counted_ = now;
  }
  void end_wait() {
    last_ = Clock::now();
    waited_ += last_ - std::exchange(counted_, last_);
    --waiting_;
  }

  std::size_t const most_;
  std::mutex mutable mutex_{};
  std::condition_variable room_{}, change_{};
  std::vector<std::unique_ptr<Slot>> ready_{};
  bool has_ended_ = false;
  std::exception_ptr error_{};
  std::atomic<bool> stop_{false};
  std::size_t waiting_ = 0;  // threads in take()
  Clock::time_point first_{}, last_{}, counted_{};  // waited_ has the time until counted_
  Clock::duration waited_{};
};

}}}  // namespace tessera::v0::detail
