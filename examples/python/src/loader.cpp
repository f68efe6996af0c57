// Batches of boxes in host memory, read ahead; boxes of one call.
#include "loader.hpp"

namespace python {
namespace {

using tessera::Extents;
using Loader = AnyLoader<HostSlot, Array>;

/// A Tensor, and what its elements are.
struct Batch : Tensor {
  std::shared_ptr<HostSlot const> slot;
  Extents of_array;
};

// The device half's is page-locked.
std::shared_ptr<std::byte> pageable(std::size_t bytes, tessera::Queue<Host>&) {
  auto const made = tessera::dlpack::share(tessera::HostBuffer{bytes});
  return {made.owner, made.data};
}

std::optional<Batch> next(Loader& loader) {
  auto slot = loader.next();
  if (!slot) return std::nullopt;
  auto const layout = tessera::Layout::c_order(slot->shape, loader.type().size);
  return Batch{{slot->memory.get(), loader.type(), layout, false, slot}, slot, loader.shape()};
}

void read_boxes_into(Array const& array, tessera::detail::BoxesInChunks& boxes, std::byte* data,
                     tessera::Strides const& strides, nb::object progress) {
  Interruption interruption{std::move(progress)};
  tessera::ReadOptions const options{.stop = stop_at_end(), .progress = interruption.hook()};
  interruption.run([&] { tessera::detail::read_boxes_into(array.on(queue()), boxes, {data, strides}, options); });
}

Tensor read_boxes(Array const& array, GivenBoxes const& boxes, BatchMemory const& memory, nb::object progress) {
  tessera::detail::BoxesInChunks resolved;
  auto const shape = resolve(array, boxes_of(boxes), resolved);
  auto const type = array.type();
  auto const size = tessera::checked_product(tessera::element_count(shape, "the boxes"), type.size, "the boxes");
  auto made = memory.source(tessera::checked_size(size, "the boxes"), queue());
  auto const layout = tessera::Layout::c_order(shape, type.size);
  read_boxes_into(array, resolved, made.get(), layout.strides, std::move(progress));
  return {made.get(), type, layout, false, made};
}

void read_boxes_out(Array const& array, GivenBoxes const& boxes, nb::handle out, nb::object progress) {
  auto const memory = borrow(out);
  expect_type(array, memory);
  if (memory.read_only) throw tessera::ExchangeError{"the memory to read into is read-only"};
  tessera::detail::BoxesInChunks resolved;
  expect_shape(memory.elements.layout, resolve(array, boxes_of(boxes), resolved));
  read_boxes_into(array, resolved, memory.elements.data, memory.elements.layout.strides, std::move(progress));
}

}  // namespace

void add_boxes(nb::module_& module) {
  using nb::arg;
  add_samplers(module);
  nb::class_<Batch, Tensor>(module, "Batch", "A Tensor of the elements of some boxes, of the shape [boxes, box...].")
      .def_prop_ro(
          "boxes", [](Batch const& batch) { return list_of(batch.slot->boxes, batch.of_array); },
          "Which boxes these are, each a tuple of slices.")
      .def_prop_ro(
          "first", [](Batch const& batch) { return batch.slot->first; },
          "The number of boxes in all batches before this one.");
  nb::class_<tessera::LoaderStatistics>(module, "LoaderStatistics",
                                        "What a Loader did so far. Batches and boxes are those that the program got, "
                                        "the rest is of those that were read.")
      .def_ro("batches", &tessera::LoaderStatistics::batches)
      .def_ro("boxes", &tessera::LoaderStatistics::boxes)
      .def_ro("chunks", &tessera::LoaderStatistics::chunks,
              "That the batches want: in one batch each chunk counts once.")
      .def_ro("hits", &tessera::LoaderStatistics::hits, "Of these, those that were kept from a batch before.")
      .def_ro("decoded", &tessera::LoaderStatistics::decoded, "Chunks that were fetched and decoded.")
      .def_ro("bytes", &tessera::LoaderStatistics::bytes, "That were fetched from the store.")
      .def_ro("seconds", &tessera::LoaderStatistics::seconds, "From the first request for a batch to the last batch.")
      .def_ro("waited", &tessera::LoaderStatistics::waited, "Of these, the time that the program waited for batches.")
      .def("share_waited", &tessera::LoaderStatistics::share_waited, "waited / seconds, from 0 to 1.");
  nb::class_<BatchMemory>(module, "BatchMemory").def("__init__", [](BatchMemory* self) {
    new (self) BatchMemory{&pageable};
  });
  auto type = nb::class_<Loader>(module, "Loader");
  type.def(
      "__init__",
      [](Loader* self, Array const& array, Draw const& draw, std::size_t batch, std::size_t ahead,
         std::optional<std::uint64_t> cache, std::size_t horizon, bool goes_on, BatchMemory const& memory) {
        new (self) Loader{array, queue(), draw, options_of(batch, ahead, cache, horizon, goes_on), memory.source};
      },
      arg("array"), arg("draw"), arg("batch"), arg("ahead"), arg("cache").none(), arg("horizon"), arg("goes_on"),
      arg("memory"));
  add_loader(type, &next);
  module.def("read_boxes", &read_boxes, arg("array"), arg("boxes"), arg("memory"), arg("progress") = nb::none());
  module.def("read_boxes_out", &read_boxes_out, arg("array"), arg("boxes"), arg("out"), arg("progress") = nb::none());
}

}  // namespace python
