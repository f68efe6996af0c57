// The end of the interpreter: calls of other threads are stopped and waited for, and none returns to Python.
#include "interpreter.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include <unistd.h>

namespace python {
namespace detail {

/// State of the interpreter, for threads that may not query it.
struct Interpreter {
  std::mutex mutex{};
  std::condition_variable none_left{};
  std::size_t at_work = 0;  // calls without the lock, and threads that requested it
  std::atomic<bool> is_announced{false}, is_ending{false};
  std::thread::id ended_by{};  // set before either

  // Requires: the interpreter's lock.
  void announce() {
    if (is_announced) return;
    ended_by = std::this_thread::get_id();
    is_announced = true;
  }

  // False: the interpreter is ending, in a thread other than `thread`.
  bool enter(std::thread::id thread, std::shared_ptr<Interpreter>& counted, std::shared_ptr<Interpreter> const& self) {
    std::lock_guard const lock{mutex};
    if (is_ending) return ended_by == thread;
    ++at_work;
    counted = self;
    return true;
  }
  void leave() {
    std::lock_guard const lock{mutex};
    if (--at_work == 0) none_left.notify_all();
  }
};

namespace {

// Never destroyed: remaining threads may read it while the process ends.
std::shared_ptr<Interpreter>& interpreter() {
  static auto& one = *new std::shared_ptr<Interpreter>{std::make_shared<Interpreter>()};
  return one;
}

thread_local int held_here = 0;  // how many Locked this thread has

// Calls check `stop` between two groups of chunks. A call that takes longer is abandoned.
constexpr std::chrono::seconds patience{2};

void end() {
  auto const one = interpreter();
  one->announce();
  nb::gil_scoped_release const released;
  std::unique_lock lock{one->mutex};
  one->is_ending = true;
  one->none_left.wait_for(lock, patience, [&] { return one->at_work == 0; });
}

}  // namespace

void stay_behind() {
  for (;;) ::pause();
}

}  // namespace detail

Unlocked::Unlocked() : state_{nullptr} {
  auto const one = detail::interpreter();
  bool const goes_on = one->enter(std::this_thread::get_id(), counted_, one);
  state_ = PyEval_SaveThread();
  if (!goes_on) detail::stay_behind();
}
Unlocked::~Unlocked() {
  if (counted_) {
    counted_->leave();
    if (counted_->is_ending) detail::stay_behind();
  }
  in_python([&] { PyEval_RestoreThread(state_); });
}

Locked::Locked(std::thread::id caller) {
  auto const one = detail::interpreter();
  if (!one->enter(caller, counted_, one)) return;
  lock_.emplace();
  ++detail::held_here;
}
Locked::~Locked() {
  if (lock_) --detail::held_here;
  lock_.reset();
  if (counted_) counted_->leave();
}

void announce_end() {
  detail::interpreter()->announce();
}

void stay_behind_at_end() {
  auto const& one = *detail::interpreter();
  if (!one.is_announced || one.ended_by == std::this_thread::get_id() || detail::held_here != 0) return;
  PyEval_SaveThread();
  detail::stay_behind();
}

std::atomic<bool> const* stop_at_end() {
  auto& one = *detail::interpreter();
  bool const ends_it = one.is_ending && one.ended_by == std::this_thread::get_id();
  return ends_it ? nullptr : &one.is_ending;
}

void watch_interpreter() {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&detail::end));
  auto const anew = nb::cpp_function([] { detail::interpreter() = std::make_shared<detail::Interpreter>(); });
  nb::module_::import_("os").attr("register_at_fork")(nb::arg("after_in_child") = anew);
}

}  // namespace python
