// Reads and writes that return at once: a thread of the queue does them, and calls back.
#include "array.hpp"

#include <atomic>
#include <memory>
#include <thread>

namespace python {
namespace {

// What the work uses until it is done.
struct Used {
  Borrowed memory;
  nb::object done;  // called without arguments behind the work, in the thread that did it
};

/// A read or write under way. Its destructor ends it, and waits until its memory is out of use.
class Transfer {
 public:
  template <class Work>
  Transfer(Borrowed memory, nb::object done, Work work)
      : stop_{std::make_shared<std::atomic<bool>>(false)},
        pending_{begun(kept(Used{std::move(memory), std::move(done)}), stop_, std::move(work))} {}
  Transfer(Transfer&&) = default;
  ~Transfer() {
    if (!stop_) return;
    *stop_ = true;
    Unlocked const unlocked;
    pending_ = tessera::Pending{};
  }

  void cancel() const { *stop_ = true; }
  /// Throws: the error of the work.
  void wait() {
    Unlocked const unlocked;
    pending_.wait();
  }

 private:
  template <class Work>
  static tessera::Pending begun(std::shared_ptr<Used> used, std::shared_ptr<std::atomic<bool>> stop, Work work) {
    Unlocked const unlocked;  // a queue of one thread does the work in here
    // Only a function of `atexit` waits for its transfers while the interpreter ends.
    auto const caller = stop_at_end() ? std::thread::id{} : std::this_thread::get_id();
    return queue().start([used = std::move(used), stop = std::move(stop), work = std::move(work), caller] {
      std::exception_ptr failed;
      try {
        work(stop.get());
      } catch (std::exception const&) {
        failed = std::current_exception();
      }
      if (Locked const held{caller}) in_python([&] { used->done(); });
      if (failed) std::rethrow_exception(failed);
    });
  }

  std::shared_ptr<std::atomic<bool>> stop_;
  tessera::Pending pending_;
};

Transfer start_read(Array const& array, Selection const& selection, nb::handle out, nb::object done) {
  auto memory = borrow(out);
  expect_type(array, memory);
  if (memory.read_only) throw tessera::ExchangeError{"the memory to read into is read-only"};
  tessera::StridedSpan<Host> const to{memory.elements.data, strides_of(selection, memory.elements.layout)};
  return {std::move(memory), std::move(done), [array, what = selection.what, to](std::atomic<bool> const* stop) {
            array.on(queue()).read(what, to, {.stop = stop});
          }};
}

Transfer start_write(Array const& array, Selection const& selection, nb::handle value, nb::object done) {
  auto memory = borrow(value);
  expect_type(array, memory);
  tessera::StridedView<Host> const from{memory.elements.data, strides_of(selection, memory.elements.layout)};
  return {std::move(memory), std::move(done), [array, what = selection.what, from](std::atomic<bool> const* stop) {
            array.on(queue()).write(what, from, {.stop = stop});
          }};
}

}  // namespace

void add_transfers(nb::module_& module) {
  nb::class_<Transfer>(module, "Transfer", "A read or write under way. Its memory is in use until it is done.")
      .def("cancel", &Transfer::cancel, "It ends before its next group of chunks, with Cancelled.")
      .def("wait", &Transfer::wait, "Raises the error of the work, once.");
  module.def("start_read", &start_read, nb::arg("array"), nb::arg("selection"), nb::arg("out"), nb::arg("done"));
  module.def("start_write", &start_write, nb::arg("array"), nb::arg("selection"), nb::arg("value"), nb::arg("done"));
}

}  // namespace python
