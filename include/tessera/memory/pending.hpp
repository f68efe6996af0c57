// Work that has begun and may not be done.
#pragma once
#include <memory>
#include <utility>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

/// `wait()` throws the first error of the work, with its key. The destructor waits too, and drops the error: hence
/// nodiscard.
class [[nodiscard("tessera: dropped, it waits and reports nothing: keep it, and wait() for its work")]] Pending {
 public:
  struct Work {
    virtual ~Work() = default;
    virtual bool is_done() = 0;
    virtual void wait() = 0;
  };

  /// Nothing to wait for.
  Pending() = default;
  explicit Pending(std::unique_ptr<Work> work) : work_{std::move(work)} {}
  Pending(Pending&&) = default;
  void operator=(Pending&& other) noexcept {  // void: nvcc takes a reference that nobody looks at for one dropped
    Pending before{std::exchange(work_, std::move(other.work_))};
  }
  ~Pending() {
    try {
      wait();
    } catch (...) {  // who drops it does not ask
    }
  }

  /// Whether wait() would return, or throw, at once.
  bool is_done() const { return !work_ || work_->is_done(); }
  /// Returns when the work is done. Throws: the first error of the work, once.
  void wait() {
    if (auto const work = std::move(work_)) work->wait();
  }
  /// Gives up the right to wait: work that the queue gets later comes after this work, and meets its errors.
  void detach() { work_.reset(); }
  [[deprecated("leave() is called detach()")]] void leave() { detach(); }

 private:
  std::unique_ptr<Work> work_;
};

}}  // namespace tessera::v0
