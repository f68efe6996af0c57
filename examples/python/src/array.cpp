// An open array: reads and writes, without the interpreter's lock while chunks are at work.
#include "module.hpp"

#include <atomic>
#include <optional>
#include <thread>

namespace python {
namespace {

using tessera::text;

// Lets Python's signals and the caller's `progress(done, chunks)` end a call.
class Interruption {
 public:
  explicit Interruption(nb::object progress) : progress_{std::move(progress)} {}

  tessera::Progress hook() {
    return [this](std::uint64_t done, std::uint64_t chunks) {
      if (progress_.is_none() && std::this_thread::get_id() != caller_) return;
      nb::gil_scoped_acquire const held;
      try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!progress_.is_none()) progress_(done, chunks);
      } catch (nb::python_error& error) {
        if (!raised_) raised_.emplace(std::move(error));
        throw tessera::Cancelled{"cancelled"};
      }
    };
  }
  /// Calls f without the lock. Throws: what Python raised meanwhile, else what f throws.
  template <class F>
  void run(F&& f) {
    try {
      nb::gil_scoped_release const released;
      f();
    } catch (tessera::Cancelled const&) {
      if (raised_) throw std::move(*raised_);
      throw;
    }
  }

 private:
  nb::object progress_;
  std::optional<nb::python_error> raised_{};
  std::thread::id const caller_ = std::this_thread::get_id();
};

void expect_type(Array const& array, Borrowed const& memory) {
  if (memory.elements.type != array.type())
    throw tessera::ExchangeError{
        text({"the memory's elements are ", memory.elements.type.name(), ", expected ", array.type().name()})};
}

void read_into(Array const& array, Selection const& selection, std::byte* data, tessera::Layout const& memory,
               nb::object progress) {
  auto const strides = strides_of(selection, memory);
  Interruption interruption{std::move(progress)};
  tessera::ReadOptions const options{.progress = interruption.hook()};
  interruption.run([&] { array.read(selection.what, {data, strides}, queue(), options); });
}

Tensor read(Array const& array, Selection const& selection, nb::object progress) {
  auto const type = array.type();
  auto const layout = tessera::Layout::c_order(selection.shape, type.size);
  tessera::HostBuffer buffer{tessera::checked_size(
      tessera::checked_product(tessera::element_count(selection.shape, "the selection"), type.size, "the selection"),
      "the selection")};
  read_into(array, selection, buffer.span().data, layout, std::move(progress));
  auto tensor = tessera::dlpack::share(std::move(buffer));
  tensor.type = type;
  tensor.layout = layout;
  return tensor;
}

void read_out(Array const& array, Selection const& selection, nb::handle out, nb::object progress) {
  auto const memory = borrow(out);
  expect_type(array, memory);
  if (memory.read_only) throw tessera::ExchangeError{"the memory to read into is read-only"};
  read_into(array, selection, memory.elements.data, memory.elements.layout, std::move(progress));
}

void write(Array const& array, Selection const& selection, nb::handle value, nb::object progress) {
  auto const memory = borrow(value);
  expect_type(array, memory);
  auto const strides = strides_of(selection, memory.elements.layout);
  Interruption interruption{std::move(progress)};
  tessera::WriteOptions const options{.progress = interruption.hook()};
  interruption.run([&] { array.write(selection.what, {memory.elements.data, strides}, queue(), options); });
}

void append(Array const& array, nb::handle value, std::size_t axis) {
  auto const memory = borrow(value);
  expect_type(array, memory);
  nb::gil_scoped_release const released;
  auto const& layout = memory.elements.layout;
  array.append(axis, layout.shape, {memory.elements.data, layout.strides}, queue());
}

void resize(Array const& array, std::vector<std::uint64_t> const& shape) {
  nb::gil_scoped_release const released;
  array.resize(extents_of(shape), queue());
}

}  // namespace

void add_array(nb::module_& module) {
  nb::class_<Array>(module, "Array", "An open array. For any thread.")
      .def_prop_ro("shape", [](Array const& array) { return tuple_of(array.shape()); })
      .def_prop_ro("dtype", [](Array const& array) { return array.type().name(); })
      .def_prop_ro("chunk_shape", [](Array const& array) { return tuple_of(array.chunk_shape()); })
      .def_prop_ro("inner_chunk_shape", [](Array const& array) { return tuple_of(array.inner_chunk_shape()); })
      .def_prop_ro(
          "document", [](Array const& array) { return tessera::to_json(tessera::to_value(array.metadata())); },
          "Its zarr.json, as it is now.")
      .def("read", &read, nb::arg("selection"), nb::arg("progress") = nb::none())
      .def("read_out", &read_out, nb::arg("selection"), nb::arg("out"), nb::arg("progress") = nb::none())
      .def("write", &write, nb::arg("selection"), nb::arg("value"), nb::arg("progress") = nb::none())
      .def("append", &append, nb::arg("value"), nb::arg("axis"))
      .def("resize", &resize, nb::arg("shape"))
      .def("keep_shard_indexes", &Array::keep_shard_indexes, nb::arg("most"));
}

}  // namespace python
