// An open array in a folder.
#include "array.hpp"

#include <variant>

#include <nanobind/stl/variant.h>

#include <tessera/core/detail/numpy_type.hpp>

namespace python {
namespace {

// Memory for a selection, uninitialised.
Tensor empty(Array const& array, Selection const& selection) {
  auto const type = array.type();
  if (type.varies())
    throw tessera::ExchangeError{tessera::to_text({"elements of ", type.name(), " have no memory of a fixed size"})};
  tessera::HostBuffer buffer{tessera::checked_size(
      tessera::checked_product(tessera::element_count(selection.shape, "the selection"), type.size, "the selection"),
      "the selection")};
  auto tensor = tessera::dlpack::share(std::move(buffer));
  tensor.type = type;
  tensor.layout = tessera::Layout::c_order(selection.shape, type.size);
  return tensor;
}

Strings read_strings(Array const& array, Selection const& selection, nb::object progress, Stop const* stop) {
  return read_strings(
      array.type(), selection, std::move(progress), flag_of(stop),
      [&](auto const& to, auto const& options) { array.on(queue()).read_into(selection.what, to, options); });
}

std::variant<Tensor, Strings> read(Array const& array, Selection const& selection, nb::object progress,
                                   Stop const* stop) {
  if (array.type().varies()) return read_strings(array, selection, std::move(progress), stop);
  auto tensor = empty(array, selection);
  read_into(array, selection, tensor.data, tensor.layout, std::move(progress), stop);
  return tensor;
}

void append(Array const& array, nb::handle value, std::size_t axis) {
  if (array.type().varies())
    return append_strings(array.type(), value, [&](auto const& shape, auto const& from, auto const& options) {
      array.on(queue()).append_from(axis, shape, from, options);
    });
  auto const memory = borrow(value);
  expect_type(array, memory);
  auto const& layout = memory.elements.layout;
  Interruption interruption{nb::none()};
  tessera::WriteOptions const options{.stop = stop_at_end(), .progress = interruption.hook()};
  interruption.run([&] {
    array.on(queue()).append(axis, layout.shape, {memory.elements.data, layout.strides}, options);
  });
}

void resize(Array const& array, std::vector<std::uint64_t> const& shape) {
  Unlocked const unlocked;
  array.on(queue()).resize(extents_of(shape));
}

}  // namespace

void read_into(Array const& array, Selection const& selection, std::byte* data, tessera::Layout const& memory,
               nb::object progress, Stop const* stop) {
  auto const strides = strides_of(selection, memory);
  Interruption interruption{std::move(progress)};
  tessera::ReadOptions const options{.stop = flag_of(stop), .progress = interruption.hook()};
  interruption.run([&] { array.on(queue()).read(selection.what, {data, strides}, options); });
}

void read_whole(Array const& array, tessera::Extents const& shape, std::byte* data) {
  auto const strides = tessera::Layout::c_order(shape, array.type().size).strides;
  array.on(queue()).read(tessera::ResolvedSelection{tessera::Box{tessera::all}.resolve(shape)}, {data, strides});
}

void read_out(Array const& array, Selection const& selection, nb::handle out, nb::object progress, Stop const* stop) {
  if (array.type().varies()) return put_strings(read_strings(array, selection, std::move(progress), stop), out);
  auto const memory = borrow(out);
  expect_type(array, memory);
  if (memory.read_only) throw tessera::ExchangeError{"the memory to read into is read-only"};
  read_into(array, selection, memory.elements.data, memory.elements.layout, std::move(progress), stop);
}

void write(Array const& array, Selection const& selection, nb::handle value, nb::object progress, bool keep_fill_chunks,
           Stop const* stop) {
  if (array.type().varies())
    return write_strings(
        array.type(), selection, value, std::move(progress), keep_fill_chunks, flag_of(stop),
        [&](auto const& from, auto const& options) { array.on(queue()).write_from(selection.what, from, options); });
  auto const memory = borrow(value);
  expect_type(array, memory);
  auto const strides = strides_of(selection, memory.elements.layout);
  Interruption interruption{std::move(progress)};
  tessera::WriteOptions const options{
      .stop = flag_of(stop), .progress = interruption.hook(), .store_fill_chunks = keep_fill_chunks};
  interruption.run([&] { array.on(queue()).write(selection.what, {memory.elements.data, strides}, options); });
}

std::string numpy_type(Array const& array) {
  auto const metadata = array.metadata();
  return tessera::to_json(tessera::detail::numpy_type_value({metadata.type, false, metadata.fields}));
}

void add_array(nb::module_& module) {
  nb::class_<Stop>(module, "Stop", "Ends a call of another thread before its next group of chunks, with Cancelled.")
      .def(nb::init<>())
      .def("cancel", [](Stop& stop) { stop.is_set = true; });
  nb::class_<Array>(module, "Array", "An open array. For any thread.")
      .def_prop_ro("shape", [](Array const& array) { return tuple_of(array.shape()); })
      .def_prop_ro("dtype", [](Array const& array) { return array.type().name(); })
      .def_prop_ro("numpy_type", &numpy_type)
      .def_prop_ro(
          "fill",
          [](Array const& array) {
            auto const fill = array.metadata().fill;
            return nb::bytes{reinterpret_cast<char const*>(fill.data()), fill.size()};
          },
          "The bytes of the fill value.")
      .def_prop_ro("chunk_shape", [](Array const& array) { return tuple_of(array.chunk_shape()); })
      .def_prop_ro("inner_chunk_shape", [](Array const& array) { return tuple_of(array.inner_chunk_shape()); })
      .def_prop_ro(
          "document", [](Array const& array) { return tessera::to_json(tessera::to_value(array.metadata())); },
          "Its zarr.json, as it is now.")
      .def("empty", &empty, nb::arg("selection"))
      .def("read", &read, nb::arg("selection"), nb::arg("progress") = nb::none(), nb::arg("stop").none() = nb::none())
      .def("read_out", &read_out, nb::arg("selection"), nb::arg("out"), nb::arg("progress") = nb::none(),
           nb::arg("stop").none() = nb::none())
      .def("write", &write, nb::arg("selection"), nb::arg("value"), nb::arg("progress") = nb::none(),
           nb::arg("keep_fill_chunks") = false, nb::arg("stop").none() = nb::none())
      .def("append", &append, nb::arg("value"), nb::arg("axis"))
      .def("resize", &resize, nb::arg("shape"))
      .def("keep_shard_indexes", &Array::keep_shard_indexes, nb::arg("most"));
}

}  // namespace python
