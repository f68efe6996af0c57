// Strings and bytes of any length.
#include "array.hpp"
#include "arrow.hpp"

#include <tessera/array/strings.hpp>

namespace python {
namespace {

using tessera::DataKind, tessera::DataType, tessera::Layout, tessera::to_text;
using Reference = tessera::detail::ElementReference;

tessera::Strides strides_for(Selection const& selection, std::size_t item_size) {
  return strides_of(selection, Layout::c_order(selection.shape, item_size));
}

Strings packed(std::vector<std::string> const& elements, tessera::Extents const& shape, DataType type) {
  auto memory = std::make_shared<Strings::Memory>();
  std::size_t size = 0;
  for (auto const& element : elements) size += element.size();
  memory->bytes.reserve(size);
  memory->offsets.reserve(elements.size() + 1);
  for (auto const& element : elements) {
    memory->bytes += element;
    memory->offsets.push_back(static_cast<std::int64_t>(memory->bytes.size()));
  }
  return {std::move(memory), shape, type};
}

// Of the object's own bytes, which live as long as it does.
Reference reference_to(nb::handle element, DataType type) {
  char const* data = nullptr;
  Py_ssize_t size = 0;
  if (type.kind == DataKind::string) {
    if (!PyUnicode_Check(element.ptr()))
      throw nb::type_error(to_text({"found ", nb::repr(element).c_str(), ", expected a str"}).c_str());
    data = PyUnicode_AsUTF8AndSize(element.ptr(), &size);
    if (!data) throw nb::python_error();
  } else {
    if (!PyBytes_Check(element.ptr()))
      throw nb::type_error(to_text({"found ", nb::repr(element).c_str(), ", expected bytes"}).c_str());
    char* bytes = nullptr;
    if (PyBytes_AsStringAndSize(element.ptr(), &bytes, &size) != 0) throw nb::python_error();
    data = bytes;
  }
  return {reinterpret_cast<std::byte const*>(data), static_cast<std::uint64_t>(size)};
}

// The elements of NumPy's array in C order, which live as long as this.
struct References {
  References(nb::handle array, DataType type) : elements{array.attr("ravel")().attr("tolist")()} {
    shape = extents_of(nb::cast<std::vector<std::uint64_t>>(array.attr("shape")));
    list.reserve(nb::len(elements));
    for (nb::handle element : elements) list.push_back(reference_to(element, type));
  }
  std::byte const* data() const { return reinterpret_cast<std::byte const*>(list.data()); }

  nb::list elements;
  tessera::Extents shape{};
  std::vector<Reference> list{};
};

using Elements = nb::typed<nb::list, nb::any>;
Elements to_list(Strings const& strings) {
  auto const& [offsets, bytes] = *strings.memory;
  nb::list found;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    auto const* const first = bytes.data() + offsets[i];
    auto const size = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
    if (strings.type.kind == DataKind::string)
      found.append(nb::str{first, size});
    else
      found.append(nb::bytes{first, size});
  }
  return nb::borrow<Elements>(found);
}

Capsules strings_to_arrow(Strings const& strings, nb::object requested_schema) {
  check_requested(requested_schema);
  auto exported = [&] {
    Unlocked const unlocked;
    auto const& [offsets, bytes] = *strings.memory;
    arrow_c::Column<Host> column;
    column.format = strings.type.kind == DataKind::string ? "U" : "Z";  // offsets of 64 bits
    column.length = offsets.size() - 1;
    column.buffers = {nullptr, offsets.data(), bytes.data()};
    column.owner = strings.memory;
    return arrow_c::hand_over(arrow_c::detail::in_lists(std::move(column), strings.shape));
  }();
  return capsules_of(std::move(exported));
}

}  // namespace

Strings read_strings(DataType type, Selection const& selection, nb::object progress, std::atomic<bool> const* stop,
                     ReadsStrings read) {
  using tessera::detail::taking_placer;
  std::vector<std::string> elements(
      tessera::checked_size(tessera::element_count(selection.shape, "the selection"), "the selection"));
  auto const strides = strides_for(selection, sizeof(std::string));
  Interruption interruption{std::move(progress)};
  tessera::ReadOptions const options{.stop = stop, .progress = interruption.hook()};
  Strings found;
  interruption.run([&] {
    auto* const first = reinterpret_cast<std::byte*>(elements.data());
    read({first, strides, &taking_placer<std::string>, sizeof(std::string)}, options);
    found = packed(elements, selection.shape, type);
  });
  return found;
}

void put_strings(Strings const& strings, nb::handle out) {
  nb::module_::import_("tessera._strings").attr("put_strings")(strings, out);
}

void write_strings(DataType type, Selection const& selection, nb::handle value, nb::object progress,
                   bool keep_fill_chunks, std::atomic<bool> const* stop, WritesStrings write) {
  References const elements{value, type};
  if (elements.shape != selection.shape)
    throw tessera::SelectionError{to_text({"found values of the shape ", tessera::to_string(elements.shape),
                                           ", expected ", tessera::to_string(selection.shape)})};
  auto const strides = strides_for(selection, sizeof(Reference));
  Interruption interruption{std::move(progress)};
  tessera::WriteOptions const options{
      .stop = stop, .progress = interruption.hook(), .store_fill_chunks = keep_fill_chunks};
  interruption.run([&] { write({elements.data(), strides}, options); });
}

void append_strings(DataType type, nb::handle value, AppendsStrings append) {
  References const elements{value, type};
  auto const strides = Layout::c_order(elements.shape, sizeof(Reference)).strides;
  Interruption interruption{nb::none()};
  tessera::WriteOptions const options{.stop = stop_at_end(), .progress = interruption.hook()};
  interruption.run([&] { append(elements.shape, {elements.data(), strides}, options); });
}

void add_strings(nb::module_& module) {
  nb::class_<Strings>(
      module, "Strings",
      "Elements of any length, strings or bytes: `numpy.asarray(s)` has NumPy's StringDType, or bytes as objects;\n"
      "`numpy.asarray(s, object)` has both as objects. `pyarrow.array(s)` shows the memory and copies nothing.")
      .def_prop_ro("shape", [](Strings const& strings) { return tuple_of(strings.shape); })
      .def_prop_ro(
          "dtype", [](Strings const& strings) { return strings.type.name(); }, "'string' or 'bytes'.")
      .def("to_list", &to_list, "Of str or bytes, in C order.")
      .def(
          "__array__",
          [](nb::handle self, nb::object dtype, nb::object copy) {
            return nb::module_::import_("tessera._strings").attr("strings_as_numpy")(self, dtype, copy);
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none())
      .def("__arrow_c_array__", &strings_to_arrow, nb::arg("requested_schema") = nb::none(),
           "Capsules for `pyarrow.array(s)`: a large_string or a large_binary; each dimension but the first is a\n"
           "fixed-size list. Raises ExchangeError for an element without dimensions.");
}

}  // namespace python
