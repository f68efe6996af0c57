// Pending: work in progress.
#pragma once
#include <memory>
#include <utility>

namespace tessera { inline namespace v0 {

/// `wait()` throws the first error of the work, with its key. The destructor also waits, and drops the error: hence
/// nodiscard.
class [[nodiscard("tessera: a dropped Pending waits and discards errors: keep it, and call wait()")]] Pending {
 public:
  /// The work of a queue: `is_done` and `wait` as below.
  struct Work {
    virtual ~Work() = default;
    virtual bool is_done() = 0;
    virtual void wait() = 0;
    /// Has `then(argument)` called when the work is done, by the thread that did it. False: nothing will call it.
    virtual bool call_behind(void (*)(void*), void*) { return false; }
  };

  /// Nothing to wait for.
  Pending() = default;
  explicit Pending(std::unique_ptr<Work> work) : work_{std::move(work)} {}
  Pending(Pending&&) = default;
  void operator=(Pending&& other) noexcept;
  ~Pending();

  /// Whether wait() would return, or throw, at once.
  bool is_done() const { return !work_ || work_->is_done(); }
  /// Waits until the work is done. Throws: the first error of the work, once.
  void wait() {
    if (auto const work = std::move(work_)) work->wait();
  }
  /// Gives up waiting. Later work in the queue still comes after this work, and reports its errors.
  void detach() { work_.reset(); }
  [[deprecated("leave() was renamed detach()")]] void leave() { detach(); }

  /// `co_await pending`: as wait(). The coroutine goes on in the thread that did the work; if it is work of a device,
  /// it is not suspended.
  bool await_ready() const { return is_done(); }
  template <class Handle>
  bool await_suspend(Handle coroutine) {  ///< whether it is suspended
    return work_->call_behind([](void* at) { Handle::from_address(at).resume(); }, coroutine.address());
  }
  void await_resume() { wait(); }  ///< throws what wait() throws

 private:
  std::unique_ptr<Work> work_;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/memory/detail/pending.ipp>
#endif
