// Batches of boxes in host memory, read ahead; boxes of one call.
#include "loader.hpp"
#include "conversion.hpp"

#include <tessera/array/detail/read_boxes_as.hpp>
#include <tessera/loader/detail/number_batches.hpp>

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

template <class S, class P>
std::unique_ptr<tessera::detail::BatchConverter<S, P>> converter_of(tessera::AnyArray<S, P> const& array,
                                                                    Conversion const& conversion) {
  auto placer = conversion.placer_from(array.type(), array.shape());
  bool const refuses = !placer->fits_always();
  return std::make_unique<tessera::detail::NumberBatches<S, P>>(array, std::move(placer), refuses);
}

/// Boxes of one call, and what becomes of their elements.
class BoxesOfCall {
 public:
  /// Conversion null: none.
  BoxesOfCall(Array const& array, GivenOrientedBoxes const& given, Padding const& padding, Conversion const* conversion)
      : array_{array.on(queue())},
        boxes_{oriented_boxes_of(given)},
        padding_{padding},
        placer_{conversion ? conversion->placer_from(array.type(), array.shape()) : nullptr},
        type_{conversion ? conversion->to : array.type()},
        shape_{resolve(array_, boxes_, padding_, resolved_)} {}

  tessera::DataType type() const { return type_; }
  tessera::Extents const& shape() const { return shape_; }

  void read_into(std::byte* data, tessera::Strides const& strides, nb::object progress) {
    auto const value = padding_.element_for(array_);
    tessera::ByteView<Host> const bytes{value.data(), value.size()};
    tessera::StridedSpan<Host> const to{data, strides};
    Interruption interruption{std::move(progress)};
    tessera::ReadOptions const options{.stop = stop_at_end(), .progress = interruption.hook()};
    interruption.run([&] {
      if (!placer_) return tessera::detail::read_boxes_into(array_, resolved_, to, options, bytes);
      tessera::detail::read_boxes_by(array_, boxes_.list(), resolved_, padding_.native, bytes, to, *placer_,
                                     !placer_->fits_always(), options);
    });
  }

 private:
  Array array_;
  OrientedBoxes boxes_;
  Padding padding_;
  std::unique_ptr<ConvertingPlacer> placer_;
  tessera::DataType type_;
  tessera::detail::BoxesInChunks resolved_{};
  Extents shape_;
};

Tensor read_boxes(Array const& array, GivenOrientedBoxes const& boxes, BatchMemory const& memory,
                  std::optional<Padding> const& padding, Conversion const* conversion, nb::object progress) {
  BoxesOfCall call{array, boxes, padding.value_or(Padding{}), conversion};
  auto const elements = tessera::element_count(call.shape(), "the boxes");
  auto const size = tessera::checked_product(elements, call.type().size, "the boxes");
  auto made = memory.source(tessera::checked_size(size, "the boxes"), queue());
  auto const layout = tessera::Layout::c_order(call.shape(), call.type().size);
  call.read_into(made.get(), layout.strides, std::move(progress));
  return {made.get(), call.type(), layout, false, made};
}

void read_boxes_out(Array const& array, GivenOrientedBoxes const& boxes, nb::handle out,
                    std::optional<Padding> const& padding, Conversion const* conversion, nb::object progress) {
  auto const memory = borrow(out);
  BoxesOfCall call{array, boxes, padding.value_or(Padding{}), conversion};
  expect_type(call.type(), memory);
  if (memory.read_only) throw tessera::ExchangeError{"the memory to read into is read-only"};
  expect_shape(memory.elements.layout, call.shape());
  call.read_into(memory.elements.data, memory.elements.layout.strides, std::move(progress));
}

}  // namespace

void add_boxes(nb::module_& module) {
  using nb::arg;
  add_samplers(module);
  add_padding(module);
  add_conversion(module);
  nb::class_<Batch, Tensor>(module, "Batch", "A Tensor of the elements of some boxes, of the shape [boxes, box...].")
      .def_prop_ro(
          "boxes", [](Batch const& batch) { return list_of(batch.slot->boxes, batch.of_array); },
          "Which boxes these are, each a tuple of slices.")
      .def_prop_ro(
          "orientations", [](Batch const& batch) { return batch.slot->orientations; },
          "How each of the boxes is turned; empty, if the sampler turned none of them.")
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
      .def_ro("hits", &tessera::LoaderStatistics::hits,
              "Of these, those that another batch had decoded: kept, or read together.")
      .def_ro("decoded", &tessera::LoaderStatistics::decoded,
              "Chunks that were decoded: the rest are hits, or missing in the store.")
      .def_ro("kept", &tessera::LoaderStatistics::kept,
              "Stored values that were kept, and not fetched: chunks, and indexes of shards.")
      .def_ro("bytes", &tessera::LoaderStatistics::bytes, "That were fetched from the store.")
      .def_ro("seconds", &tessera::LoaderStatistics::seconds, "From the first request for a batch to the last batch.")
      .def_ro("waited", &tessera::LoaderStatistics::waited, "Of these, the time that the program waited for batches.")
      .def("share_waited", &tessera::LoaderStatistics::share_waited, "waited / seconds, from 0 to 1.");
  nb::class_<tessera::LoaderOptions>(module, "LoaderOptions")
      .def(
          "__init__",
          [](tessera::LoaderOptions* self, std::size_t batch, std::size_t ahead, std::size_t together,
             std::optional<std::uint64_t> cache, std::string const& keep, std::size_t horizon, bool goes_on) {
            new (self) tessera::LoaderOptions{.batch = batch, .ahead = ahead, .together = together};
            if (cache) self->cache = *cache;
            self->keep = keep == "stored"   ? tessera::Keep::stored
                         : keep == "either" ? tessera::Keep::either
                                            : tessera::Keep::decoded;
            self->horizon = horizon;
            if (goes_on) self->on_error = tessera::OnError::go_on;
          },
          nb::kw_only(), arg("batch"), arg("ahead"), arg("together"), arg("cache").none(), arg("keep"), arg("horizon"),
          arg("goes_on"));
  nb::class_<BatchMemory>(module, "BatchMemory").def("__init__", [](BatchMemory* self) {
    new (self) BatchMemory{&pageable};
  });
  auto type = nb::class_<Loader>(module, "Loader");
  type.def(
      "__init__",
      [](Loader* self, Array const& array, Draw const& draw, tessera::LoaderOptions options,
         std::optional<Padding> const& padding, Conversion const* conversion, BatchMemory const& memory) {
        auto const around = padding.value_or(Padding{});
        options.padding = around.native;
        auto const element = around.element_for(array);
        if (!conversion) {
          new (self) Loader{array, queue(), draw, options, element, memory.source};
          return;
        }
        auto const converter = [&](Array const& own) { return converter_of(own, *conversion); };
        new (self) Loader{array, queue(), draw, options, element, memory.source, conversion->to, converter};
      },
      arg("array"), arg("draw"), arg("options"), arg("padding").none(), arg("conversion").none(), arg("memory"));
  add_loader(type, &next);
  module.def("read_boxes", &read_boxes, arg("array"), arg("boxes"), arg("memory"), arg("padding").none(),
             arg("conversion").none(), arg("progress") = nb::none());
  module.def("read_boxes_out", &read_boxes_out, arg("array"), arg("boxes"), arg("out"), arg("padding").none(),
             arg("conversion").none(), arg("progress") = nb::none());
}

}  // namespace python
