// Arrays of device memory between processes, by CUDA IPC.
#include "sharing.hpp"

#include <variant>

#include <tessera/ipc/cuda.cuh>

#include "device.hpp"

namespace python {
namespace {

using ipc::Descriptor, ipc::IpcError;

std::uint64_t bytes_of(tessera::Extents const& shape, tessera::DataType type) {
  auto const size = tessera::checked_product(tessera::element_count(shape, "the shape"), type.size, "the array");
  if (size == 0) throw IpcError{"an array without elements has no device memory to publish"};
  return size;
}
Descriptor described(tessera::DataType type, tessera::Extents const& shape) {
  Descriptor array;
  array.type = type, array.shape = shape, array.strides = tessera::Layout::c_order(shape, 1).strides;
  return array;
}

// Memory that can be exported, filled by `fill(data)` in the queue's order.
template <class Fill>
ipc::Published publish_block(ipc::Producer& producer, tessera::DataType type, tessera::Extents const& shape,
                             DeviceQueue& on, Fill&& fill) {
  auto const size = tessera::checked_size(bytes_of(shape, type), "the array");
  auto const block = [&] {
    tessera::detail::InContext const here{on.shared_stream()->context()};
    return std::make_shared<ipc::detail::ExportedBlock>(size, on.shared_stream());
  }();
  fill(block->data());
  tessera::detail::InContext const here{on.shared_stream()->context()};
  return ipc::detail::publish_device(producer, described(type, shape), block->data(), block, on);
}

Published publish(Producer const& producer, nb::handle value, bool copy) {
  auto on = queue_of_device();
  auto const memory = kept(borrow_of_device(value, on));
  auto const& from = memory->elements;
  auto const& layout = from.layout;
  Unlocked const unlocked;
  if (copy) {
    auto made = publish_block(*producer.native, from.type, layout.shape, on, [&](std::byte* to) {
      tessera::Placement<DeviceSpace> const whole{from.data, to, layout.shape};
      auto const packed = tessera::Layout::c_order(layout.shape, layout.item_size).strides;
      tessera::PlacementForm const form{layout.item_size, 1, {}, layout.strides, packed};
      tessera::placer<DeviceSpace>::place({&whole, 1}, form, on);
    });
    on.wait();  // from then on the memory may be freed
    return {producer.native, std::move(made)};
  }
  (void)bytes_of(layout.shape, from.type);
  auto array = described(from.type, layout.shape);
  for (std::size_t d = 0; d < layout.shape.rank(); ++d) {
    auto const size = static_cast<std::int64_t>(layout.item_size);
    if (layout.strides[d] % size != 0)
      throw IpcError{
          tessera::to_text({"a stride of ", layout.strides[d], " bytes is no multiple of its elements' ", size})};
    array.strides[d] = layout.strides[d] / size;
  }
  tessera::detail::InContext const here{on.shared_stream()->context()};
  return {producer.native, ipc::detail::publish_device(*producer.native, std::move(array), from.data, memory, on)};
}

Published publish_read(Producer const& producer, DeviceArray& array, Selection const& selection) {
  auto made = publish_block(*producer.native, array.native.type(), selection.shape, array.on, [&](std::byte* to) {
    read_on_device(array, selection, to, nb::none());
  });
  return {producer.native, std::move(made)};
}

Source source_of(Producer const& producer, DeviceArray const& array) {
  auto const shape = array.native.shape();
  auto const type = array.native.type();
  return {producer.native, {bytes_of(shape, type), [by = producer.native.get(), array, shape, type] {
                              auto on = array.on;
                              return publish_block(*by, type, shape, on,
                                                   [&](std::byte* to) { read_on_device(array, shape, to); });
                            }}};
}

/// An array of device memory that another process published.
class DeviceAttached {
 public:
  DeviceAttached(Consumer const& consumer, Descriptor const& array, bool writes) : what{array}, on_{queue_of_device()} {
    Unlocked const unlocked;
    if (writes)
      array_ = std::make_shared<Writable>(ipc::attach_to_write(*consumer.native, array, on_));
    else
      array_ = std::make_shared<Readable>(ipc::attach(*consumer.native, array, on_));
  }
  DeviceTensor tensor() const {
    return std::visit(
        [&](auto const& array) {
          if (!array) throw IpcError{"the array was closed"};
          return DeviceTensor{shared_of(array), on_};
        },
        array_);
  }
  /// The lease ends with the last tensor.
  void close() {
    auto last = std::exchange(array_, std::shared_ptr<Readable>{});
    Unlocked const unlocked;  // it waits for the queue
    last = std::shared_ptr<Readable>{};
  }

  Descriptor what;

 private:
  using Readable = ipc::Attached<DeviceSpace>;
  using Writable = ipc::Attached<DeviceSpace, ipc::Writing>;
  DeviceQueue on_;
  std::variant<std::shared_ptr<Readable>, std::shared_ptr<Writable>> array_;
};

}  // namespace

void add_device_sharing(nb::module_& module) {
  module.def("publish", &publish, nb::arg("producer"), nb::arg("value"), nb::arg("copy"));
  module.def("publish_read", &publish_read, nb::arg("producer"), nb::arg("array"), nb::arg("selection"));
  module.def("source_of", &source_of, nb::arg("producer"), nb::arg("array"));
  nb::class_<DeviceAttached>(module, "Attached")
      .def(nb::init<Consumer const&, Descriptor const&, bool>(), nb::arg("consumer"), nb::arg("descriptor"),
           nb::arg("writes"))
      .def_ro("descriptor", &DeviceAttached::what)
      .def("tensor", &DeviceAttached::tensor)
      .def("close", &DeviceAttached::close);
}

}  // namespace python
