// Batches of boxes in device memory, read ahead, and in page-locked memory; boxes of one call.
#include "device.hpp"
#include "loader.hpp"

#include <tessera/buffer/device_buffer.cuh>
#include <tessera/loader/loader.cuh>

namespace python {
namespace {

using DeviceSlot = AnySlot<DeviceQueue>;
using Loader = AnyLoader<DeviceSlot, DeviceArray::Native>;

/// A DeviceTensor, and what its elements are.
struct DeviceBatch : DeviceTensor {
  std::shared_ptr<DeviceSlot const> slot;
  tessera::Extents of_array;
};

template <class B>
std::shared_ptr<std::byte> memory_of(B buffer) {
  auto const made = tessera::dlpack::share(std::move(buffer));
  return {made.owner, made.data};
}

std::optional<DeviceBatch> next(Loader& loader) {
  auto slot = loader.next();
  if (!slot) return std::nullopt;
  auto const layout = tessera::Layout::c_order(slot->shape, loader.type().size);
  return DeviceBatch{{{slot->memory.get(), loader.type(), layout, false, slot}, loader.queue()}, slot, loader.shape()};
}

void read_boxes_into(DeviceArray& array, tessera::detail::BoxesInChunks& boxes, std::byte* data,
                     tessera::Strides const& strides, Padding const& padding, nb::object progress, auto&& after) {
  auto const element = padding.element_for(array.native);
  tessera::ByteView<Host> const value{element.data(), element.size()};
  Interruption interruption{std::move(progress)};
  tessera::ReadOptions const options{.stop = stop_at_end(), .progress = interruption.hook()};
  interruption.run([&] {
    tessera::detail::read_boxes_into(array.native.on(array.on), boxes, {data, strides}, options, value).detach();
    after();
  });
}

DeviceTensor read_boxes(DeviceArray& array, GivenOrientedBoxes const& boxes, std::optional<Padding> const& padding,
                        nb::object progress) {
  auto const around = padding.value_or(Padding{});
  tessera::detail::BoxesInChunks resolved;
  auto const shape = resolve(array.native, oriented_boxes_of(boxes), around, resolved);
  auto const type = array.native.type();
  auto const size = tessera::checked_product(tessera::element_count(shape, "the boxes"), type.size, "the boxes");
  auto elements = tessera::dlpack::share(tessera::DeviceBuffer{tessera::checked_size(size, "the boxes"), array.on});
  elements.type = type, elements.layout = tessera::Layout::c_order(shape, type.size);
  read_boxes_into(array, resolved, elements.data, elements.layout.strides, around, std::move(progress), [] {});
  return {std::move(elements), array.on};
}

void read_boxes_out(DeviceArray& array, GivenOrientedBoxes const& boxes, nb::handle out, std::intptr_t stream,
                    std::optional<Padding> const& padding, nb::object progress) {
  auto const around = padding.value_or(Padding{});
  auto const memory = borrow_of_device(out, array.on);
  expect_type(array.native, memory);
  if (memory.read_only) throw tessera::ExchangeError{"the memory to read into is read-only"};
  tessera::detail::BoxesInChunks resolved;
  expect_shape(memory.elements.layout, resolve(array.native, oriented_boxes_of(boxes), around, resolved));
  follow(array.on, stream);
  auto const& strides = memory.elements.layout.strides;
  read_boxes_into(array, resolved, memory.elements.data, strides, around, std::move(progress), [&] {
    let_follow(array.on, stream);
    if (stream == -1) array.on.wait();
  });
}

}  // namespace

void add_device_boxes(nb::module_& module) {
  using nb::arg;
  nb::class_<DeviceBatch, DeviceTensor>(module, "DeviceBatch",
                                        "A DeviceTensor of the elements of some boxes, of the shape [boxes, box...].")
      .def_prop_ro("boxes", [](DeviceBatch const& batch) { return list_of(batch.slot->boxes, batch.of_array); })
      .def_prop_ro("orientations", [](DeviceBatch const& batch) { return batch.slot->orientations; })
      .def_prop_ro("first", [](DeviceBatch const& batch) { return batch.slot->first; });
  auto type = nb::class_<Loader>(module, "Loader");
  type.def(
      "__init__",
      [](Loader* self, DeviceArray const& array, Draw const& draw, tessera::LoaderOptions options,
         std::optional<Padding> const& padding) {
        auto const around = padding.value_or(Padding{});
        auto const source = [](std::size_t bytes, DeviceQueue& on) {
          return memory_of(tessera::DeviceBuffer{bytes, on});
        };
        options.padding = around.native;
        auto const element = around.element_for(array.native);
        new (self) Loader{array.native, array.on, draw, options, element, source};
      },
      arg("array"), arg("draw"), arg("options"), arg("padding").none());
  add_loader(type, &next);
  module.def("pinned_batches", [] {
    return BatchMemory{[on = queue_of_device()](std::size_t bytes, tessera::Queue<Host>&) mutable {
      return memory_of(tessera::PinnedBuffer{bytes, on});
    }};
  });
  module.def("read_boxes", &read_boxes, arg("array"), arg("boxes"), arg("padding").none(),
             arg("progress") = nb::none());
  module.def("read_boxes_out", &read_boxes_out, arg("array"), arg("boxes"), arg("out"), arg("stream"),
             arg("padding").none(), arg("progress") = nb::none());
}

}  // namespace python
