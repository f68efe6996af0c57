// The common part of the host's half and the device's half of sharing between processes.
#pragma once
#include "module.hpp"

#include <functional>
#include <memory>

#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/producer.hpp>
#include <tessera/ipc/published_column.hpp>
#include <tessera/ipc/shared_arrays.hpp>

namespace python {

namespace ipc = tessera::ipc;

/// All published arrays keep their producer. The last owner waits for its thread, which may need Python.
struct Producer {
  std::shared_ptr<ipc::Producer> native;

  explicit Producer(std::shared_ptr<ipc::Producer> made) : native{std::move(made)} {}
  Producer(Producer&&) = default;
  ~Producer() {
    auto last = std::exchange(native, nullptr);
    Unlocked const unlocked;
    last.reset();
  }
};

template <class What>
struct Publication {
  std::shared_ptr<ipc::Producer> producer;
  What what;

  Publication(std::shared_ptr<ipc::Producer> by, What made) : producer{std::move(by)}, what{std::move(made)} {}
  Publication(Publication&&) = default;
  ~Publication() { close(); }
  void close() {
    if (!producer) return;
    auto by = std::exchange(producer, nullptr);
    auto last = std::exchange(what, What{});
    Unlocked const unlocked;
    last = What{};
    by.reset();
  }
};
using Published = Publication<ipc::Published>;
using PublishedColumn = Publication<ipc::PublishedColumn>;

/// For a SharedArrays.
struct Source {
  std::shared_ptr<ipc::Producer> producer;
  ipc::Source native;
};

struct Consumer {
  std::shared_ptr<ipc::Consumer> native;
};

/// The attached array's first element, type and layout, in the memory that `owner` keeps. Throws: ProducerGone;
/// IpcError, if elements are not aligned.
template <class S, class L>
tessera::dlpack::Shared<S> shared_of(std::shared_ptr<ipc::Attached<S, L>> const& owner) {
  auto const& what = owner->descriptor();
  auto* const first = const_cast<std::byte*>(owner->buffer().view().data) + what.offset;
  if (reinterpret_cast<std::uintptr_t>(first) % what.type.component() != 0)
    throw ipc::IpcError{
        tessera::to_text({"the array is not aligned to the ", what.type.component(), " bytes of ", what.type.name()})};
  auto layout = tessera::Layout::c_order(what.shape, what.type.size);
  bool is_empty = false;
  for (auto length : what.shape) is_empty = is_empty || length == 0;
  for (std::size_t d = 0; d < what.shape.rank() && !is_empty; ++d)  // strides in empty dimensions are arbitrary
    if (what.shape[d] > 1) layout.strides[d] = what.strides[d] * static_cast<std::int64_t>(what.type.size);
  return {first, what.type, layout, std::same_as<L, ipc::Reading>, owner};
}

}  // namespace python
