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
    /// The thread that does the work calls `then(argument)` after it. False: nothing will be called.
    virtual bool call_behind(void (*)(void*), void*) { return false; }
    /// Cancels that call.
    virtual void forget() {}
  };

  /// Work that is already done.
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

  /// What `co_await` of a Pending makes.
  class Awaiter {
   public:
    explicit Awaiter(Pending& of) : of_{of} {}
    Awaiter(Awaiter const&) = delete;
    ~Awaiter() {
      if (waits_ && of_.work_) of_.work_->forget();  // the coroutine is destroyed
    }
    bool await_ready() const { return of_.is_done(); }  ///< whether the coroutine need not be suspended
    /// Suspends the coroutine until the work is done. False: the work is done already.
    template <class Handle>
    bool await_suspend(Handle coroutine) {
      waits_ = true;  // before another thread may resume it
      if (of_.work_->call_behind([](void* at) { Handle::from_address(at).resume(); }, coroutine.address())) return true;
      waits_ = false;
      return false;
    }
    void await_resume() {  ///< throws what wait() throws
      waits_ = false;
      of_.wait();
    }

   private:
    Pending& of_;
    bool waits_ = false;
  };
  /// As wait(), but suspends a coroutine, which resumes in the thread that did the work. Work on a device blocks the
  /// calling thread.
  Awaiter operator co_await() { return Awaiter{*this}; }

 private:
  std::unique_ptr<Work> work_;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/memory/detail/pending.ipp>
#endif
