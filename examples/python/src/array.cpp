// An open array in a folder.
#include "array.hpp"

#include <variant>

#include <nanobind/stl/variant.h>

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

std::variant<Tensor, Strings> read(Array const& array, Selection const& selection, nb::object progress) {
  if (array.type().varies()) return read_strings(array, selection, std::move(progress));
  auto tensor = empty(array, selection);
  read_into(array, selection, tensor.data, tensor.layout, std::move(progress));
  return tensor;
}

void append(Array const& array, nb::handle value, std::size_t axis) {
  if (array.type().varies())
    return append_strings(array.type(), value, [&](auto const& shape, auto const& from) {
      array.on(queue()).append_from(axis, shape, from, {});
    });
  auto const memory = borrow(value);
  expect_type(array, memory);
  Unlocked const unlocked;
  auto const& layout = memory.elements.layout;
  array.on(queue()).append(axis, layout.shape, {memory.elements.data, layout.strides});
}

void resize(Array const& array, std::vector<std::uint64_t> const& shape) {
  Unlocked const unlocked;
  array.on(queue()).resize(extents_of(shape));
}

}  // namespace

template void read_into(Array const&, Selection const&, std::byte*, tessera::Layout const&, nb::object);

void read_whole(Array const& array, tessera::Extents const& shape, std::byte* data) {
  auto const strides = tessera::Layout::c_order(shape, array.type().size).strides;
  array.on(queue()).read(tessera::ResolvedSelection{tessera::Box{tessera::all}.resolve(shape)}, {data, strides});
}

void add_array(nb::module_& module) {
  nb::class_<Array>(module, "Array", "An open array. For any thread.")
      .def_prop_ro("shape", [](Array const& array) { return tuple_of(array.shape()); })
      .def_prop_ro("dtype", [](Array const& array) { return array.type().name(); })
      .def_prop_ro("numpy_type", &numpy_type<Array>)
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
      .def("read", &read, nb::arg("selection"), nb::arg("progress") = nb::none())
      .def("read_out", &read_out<Array>, nb::arg("selection"), nb::arg("out"), nb::arg("progress") = nb::none())
      .def("write", &write<Array>, nb::arg("selection"), nb::arg("value"), nb::arg("progress") = nb::none(),
           nb::arg("keep_fill_chunks") = false)
      .def("append", &append, nb::arg("value"), nb::arg("axis"))
      .def("resize", &resize, nb::arg("shape"))
      .def("keep_shard_indexes", &Array::keep_shard_indexes, nb::arg("most"));
}

}  // namespace python
