// The interpreter's lock, and the fate of threads that remain when the interpreter ends.
#pragma once
#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace python {
namespace detail {

struct Interpreter;

/// Sleeps until the process ends.
[[noreturn]] void stay_behind();

}  // namespace detail

/// Lets other threads run Python during its life. Requires: the thread has the interpreter's lock.
///
/// A daemon thread may be in here when the interpreter ends. CPython before 3.14 ends a thread that requests the lock
/// then by unwinding its stack, which in a destructor ends the process (std::terminate). So the destructor does not
/// return in such a thread: it sleeps until the process ends, as in CPython 3.14.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(Unlocked const&) = delete;
  Unlocked& operator=(Unlocked const&) = delete;

 private:
  std::shared_ptr<detail::Interpreter> counted_{};  // the thread that waits for this call
  PyThreadState* state_;
};

/// The interpreter's lock, for a thread of the library. False, if the interpreter is ending: then the lock is not held,
/// and the thread must not use Python any more. `caller`: the thread that waits for this one, if there is one.
class Locked {
 public:
  explicit Locked(std::thread::id caller = std::this_thread::get_id());
  ~Locked();
  Locked(Locked const&) = delete;
  Locked& operator=(Locked const&) = delete;

  explicit operator bool() const { return lock_.has_value(); }

 private:
  std::shared_ptr<detail::Interpreter> counted_{};
  std::optional<nb::gil_scoped_acquire> lock_{};
};

/// This thread ends the interpreter, and is about to close what other threads may use. Requires: the lock.
void announce_end();

/// For an error on its way to Python. After `announce_end` it does not return in other threads, whose errors would be
/// printed: they sleep until the process ends. A thread of the library that has Locked returns, because others may wait
/// for it. Requires: the lock.
void stay_behind_at_end();

/// For `stop` of options: set when the interpreter begins to end. Null for the thread that ends it, whose functions of
/// `atexit` may still read and write.
std::atomic<bool> const* stop_at_end();

/// Calls f, which runs Python code: if the interpreter ends the thread in there, it sleeps. Requires: the lock.
template <class F>
decltype(auto) in_python(F&& f) {
  try {
    return std::forward<F>(f)();
  } catch (std::exception const&) {
    throw;
  } catch (...) {  // the unwinding of pthread_exit
    detail::stay_behind();
  }
}

/// A Python object that any thread may release.
template <class T>
std::shared_ptr<T> kept(T object) {
  return {new T{std::move(object)}, [](T* last) {
            if (Locked const held{}) delete last;  // otherwise the process ends with it
          }};
}

/// Registers the work at the interpreter's end: once for each extension, which counts its own calls.
void watch_interpreter();

}  // namespace python
