// The common part of the host's and the device's Loader: the memory of batches, the wait for one, the end.
#pragma once
#include "array.hpp"
#include "boxes.hpp"
#include "draw.hpp"
#include "padding.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <tessera/array/detail/read_boxes.hpp>
#include <tessera/loader/detail/loader_state.hpp>
#include <tessera/loader/detail/own_queue.hpp>

namespace python {

/// Finds boxes in an array, and the shape of the memory for all of them. Errors name the array.
template <class A>
tessera::Extents resolve(A const& array, OrientedBoxes const& boxes, Padding const& padding,
                         tessera::detail::BoxesInChunks& resolved) {
  tessera::detail::resolve_boxes(array, boxes.list(), padding.native, resolved);
  return resolved.shape_of_all();
}
/// Throws: SelectionError, if the memory for boxes has another shape.
inline void expect_shape(tessera::Layout const& memory, tessera::Extents const& expected) {
  if (memory.shape != expected)
    throw tessera::SelectionError{tessera::to_text(
        {"the memory's shape is ", tessera::to_string(memory.shape), ", expected ", tessera::to_string(expected)})};
}

/// A batch's elements, of any type.
template <class Q>
struct AnySlot : tessera::detail::SlotParts<Q> {
  using Memory = std::shared_ptr<std::byte>;
  using Source = std::function<Memory(std::size_t bytes, Q& on)>;

  Memory memory{};
  std::uint64_t bytes = 0;  // of the memory
  tessera::Extents shape{};

  std::byte* of_shape(tessera::Extents const& wanted, std::size_t item_size, Source const& source, Q& on) {
    auto const size = tessera::checked_product(tessera::element_count(wanted, "a batch"), item_size, "a batch");
    if (size != bytes) {
      memory.reset(), bytes = 0;  // first, so that both are not held at once
      memory = source(tessera::checked_size(size, "a batch"), on);
      bytes = size;
    }
    shape = wanted;
    return memory.get();
  }
};
using HostSlot = AnySlot<tessera::Queue<Host>>;

/// Where the memory of batches on the host comes from.
struct BatchMemory {
  HostSlot::Source source;
};

/// Batches have the array's elements.
struct NoConverter {
  std::nullptr_t operator()(auto const&) const { return nullptr; }
};

/// A Loader of the library's without types. Native: an array on the host's or the device's queue.
template <class Slot, class Native>
class AnyLoader {
  template <class S, class P>
  static tessera::detail::LoaderState<Slot, S, P> state_of(tessera::AnyArray<S, P> const&);
  using State = decltype(state_of(std::declval<Native const&>()));
  using Queue = typename Slot::queue_type;

 public:
  /// `on`: the queue in whose order batches are used. `padding`: the bytes of the element that pads the array. `type`:
  /// of the batches; none: the array's. `converter(array)`: the BatchConverter for the array on the loader's queue.
  /// Requires: options in their ranges.
  template <class Make = NoConverter>
  AnyLoader(Native const& array, Queue on, Draw const& draw, tessera::LoaderOptions const& options,
            std::vector<std::byte> const& padding, typename Slot::Source source,
            std::optional<tessera::DataType> type = std::nullopt, Make const& converter = {})
      : on_{std::move(on)}, type_{type.value_or(array.type())} {
    tessera::detail::in_document(array.store(), array.document(),
                                 [&] { shape_ = options.padding.padded(array.shape()); });
    auto const own = array.on(tessera::detail::own_queue<Queue>::make(on_));
    Unlocked const unlocked;  // memory for chunks may take long
    tessera::ByteView<Host> const value{padding.data(), padding.size()};
    state_ = {new State{own, draw.next, options, value, std::move(source), converter(own)}, End{draw.calls}};
  }
  AnyLoader(AnyLoader const&) = delete;
  ~AnyLoader() { close(); }

  /// The next batch, which gives its memory back when the last owner ends; null after the last one. Waits without the
  /// interpreter's lock; signals end the wait.
  std::shared_ptr<Slot> next() {
    expect_own_process();
    if (!state_) throw tessera::Cancelled{"the loader was closed"};
    auto state = state_;
    std::shared_ptr<Slot> found;
    Interruption interruption{nb::none()};
    auto const hook = interruption.hook();
    auto const look = [&] { hook(0, 0); };
    try {
      interruption.run([&] {
        auto const used = std::move(state);  // the last owner waits for the loader's thread, which may want the lock
        tessera::FunctionRef<void()> const signals{look};
        auto slot = used->next(on_, &signals);
        if (!slot) return;
        auto give_back = [pool = used->pool(), on = on_](Slot* given) mutable {
          pool->give_back(std::unique_ptr<Slot>{given}, on);
        };
        found = std::shared_ptr<Slot>{slot.release(), std::move(give_back)};
      });
    } catch (SamplerFailed const& failed) {
      throw nb::python_error{*failed.raised};
    }
    return found;
  }

  void cancel() {
    if (state_) state_->cancel();
  }
  /// Ends the thread and waits for it, but not for a sampler in Python.
  void close() {
    if (!state_) return;
    if (process_ != ::getpid()) {  // fork() copied no thread to wait for
      new std::shared_ptr<State>{std::move(state_)};
      return;
    }
    did_ = state_->statistics(), position_ = state_->position();
    auto last = std::exchange(state_, nullptr);
    last->cancel();
    Unlocked const unlocked;
    last.reset();
  }

  std::uint64_t position() const { return state_ ? state_->position() : position_; }
  tessera::LoaderStatistics statistics() const { return state_ ? state_->statistics() : did_; }
  tessera::Extents const& shape() const { return shape_; }  ///< the padded array's when this was made
  tessera::DataType type() const { return type_; }
  Queue const& queue() const { return on_; }

 private:
  // A sampler in Python may be what lets go of the loader, in the thread to wait for, and may never return.
  struct End {
    std::shared_ptr<SamplerCalls> calls;
    void operator()(State* last) const {
      if (calls->close())
        std::thread{[last] { delete last; }}.detach();
      else
        delete last;
    }
  };

  void expect_own_process() const {
    if (process_ != ::getpid())
      throw tessera::Error{"the loader was made by another process, before fork(): make one in this process"};
  }

  Queue on_;
  tessera::Extents shape_{};
  tessera::DataType type_;
  ::pid_t process_ = ::getpid();
  std::shared_ptr<State> state_{};
  tessera::LoaderStatistics did_{};
  std::uint64_t position_ = 0;
};

/// Adds what every Loader has, and `next`, which returns None after the last batch.
template <class L, class Next>
void add_loader(nb::class_<L>& type, Next&& next) {
  type.def("next", std::forward<Next>(next))
      .def("cancel", &L::cancel)
      .def("close", &L::close)
      .def_prop_ro("position", &L::position)
      .def("statistics", &L::statistics);
}

}  // namespace python
