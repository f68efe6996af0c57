// Device memory by Arrow's C device data interface: tensors, and attached columns.
#include "device.hpp"

#include <tessera/ipc/cuda.cuh>
#include <tessera/with/arrow/columns.hpp>
#include <tessera/with/arrow/device.cuh>

#include "sharing.hpp"

namespace python {
namespace {

Capsules capsules_of_device(arrow_c::ExportedOnDevice exported) {
  auto const schema = capsule_of(std::move(exported.schema), "arrow_schema");
  return nb::borrow<Capsules>(nb::make_tuple(schema, capsule_of(std::move(exported.array), "arrow_device_array")));
}

Capsules arrow_column(Consumer const& consumer, ipc::ColumnDescriptor const& column, nb::object requested_schema) {
  check_requested(requested_schema);
  auto on = queue_of_device();
  auto exported = [&] {
    Unlocked const unlocked;
    auto const attach = [&](ipc::Descriptor const& buffer) { return ipc::attach(*consumer.native, buffer, on); };
    return arrow_c::hand_over(arrow_c::share(ipc::AttachedColumn<DeviceSpace>{column, attach}), on);
  }();
  return capsules_of_device(std::move(exported));
}

}  // namespace

Capsules arrow_of(DeviceTensor const& tensor, nb::object requested_schema, nb::kwargs more) {
  for (auto const& [name, value] : more)
    if (!value.is_none()) {
      PyErr_Format(PyExc_NotImplementedError, "__arrow_c_device_array__ has no argument %S", name.ptr());
      throw nb::python_error();
    }
  check_requested(requested_schema);
  auto const& [data, type, layout, read_only, owner] = tensor.elements;
  if (!arrow_c::detail::is_dense(layout))
    throw tessera::ExchangeError{"the elements are not in C order, as Arrow's lists are: copy them first"};
  auto on = tensor.on;
  return capsules_of_device(
      arrow_c::hand_over(arrow_c::detail::column_of<DeviceSpace>(data, type, layout.shape, owner), on));
}

void add_device_arrow(nb::module_& module) {
  module.def("arrow_column", &arrow_column, nb::arg("consumer"), nb::arg("descriptor"),
             nb::arg("requested_schema") = nb::none());
}

}  // namespace python
