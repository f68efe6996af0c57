// Columns by Arrow's C data interface: attached ones given to other libraries, other libraries' published.
#include "arrow.hpp"

#include <tessera/with/arrow/columns.hpp>

#include "sharing.hpp"

namespace python {
namespace {

Capsules arrow_column(Consumer const& consumer, ipc::ColumnDescriptor const& column, nb::object requested_schema) {
  check_requested(requested_schema);
  auto exported = [&] {
    Unlocked const unlocked;
    return arrow_c::hand_over(arrow_c::share(ipc::attach(*consumer.native, column)));
  }();
  return capsules_of(std::move(exported));
}

template <class Struct>
Struct const& struct_in(nb::handle capsule, char const* name) {
  auto const* const found = static_cast<Struct const*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (!found) throw nb::python_error();
  return *found;
}
PublishedColumn publish_arrow(Producer const& producer, nb::handle value) {
  auto const capsules = nb::cast<nb::tuple>(value.attr("__arrow_c_array__")());
  if (capsules.size() != 2) throw nb::type_error("__arrow_c_array__ returned no pair of capsules");
  auto const& schema = struct_in<ArrowSchema>(capsules[0], "arrow_schema");
  auto const& array = struct_in<ArrowArray>(capsules[1], "arrow_array");
  Unlocked const unlocked;
  return {producer.native, arrow_c::publish(*producer.native, schema, array)};
}

}  // namespace

void add_arrow(nb::module_& module) {
  module.def("arrow_column", &arrow_column, nb::arg("consumer"), nb::arg("descriptor"),
             nb::arg("requested_schema") = nb::none());
  module.def("publish_arrow", &publish_arrow, nb::arg("producer"), nb::arg("value"));
}

}  // namespace python
