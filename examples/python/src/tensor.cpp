// The result of a read: memory that other libraries use without a copy, by DLPack or NumPy's array interface.
#include "arrow.hpp"
#include "capsule.hpp"

namespace python {
namespace {

nb::object to_dlpack(Tensor const& tensor, std::optional<std::intptr_t> stream, Version max_version,
                     DeviceWanted device, std::optional<bool> copy) {
  return capsule_of(tessera::dlpack::hand_over(tensor, request_of(stream, max_version, device, copy)));
}

Interface array_interface(Tensor const& tensor) {
  return interface_of(tensor.data, tensor.type, tensor.layout, tensor.read_only);
}

Capsules to_arrow(Tensor const& tensor, nb::object requested_schema) {
  check_requested(requested_schema);
  auto exported = [&] {
    Unlocked const unlocked;
    return arrow_c::hand_over(arrow_c::detail::column_of(tensor.data, tensor.type, tensor.layout, tensor.owner));
  }();
  return capsules_of(std::move(exported));
}

}  // namespace

void add_tensor(nb::module_& module) {
  static_assert(std::endian::native == std::endian::little);
  nb::class_<Tensor>(
      module, "Tensor",
      "Elements in memory of their own, or in another process's: `numpy.asarray(t)`, `torch.from_dlpack(t)` and\n"
      "`jax.dlpack.from_dlpack(t)` show that memory and copy nothing. It lives as long as what shows it.")
      .def_prop_ro("shape", [](Tensor const& tensor) { return tuple_of(tensor.layout.shape); })
      .def_prop_ro(
          "dtype", [](Tensor const& tensor) { return tensor.type.name(); },
          "The data type's name in Zarr, e.g. 'float32'.")
      .def("raw", &raw<Tensor>, "The same memory as raw bytes: of the dtype 'r16' for bfloat16.")
      .def("__dlpack__", &to_dlpack, nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("max_version") = nb::none(),
           nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none(),
           "A capsule, as the array API 2024.12 says. Raises ExchangeError, which is a BufferError.")
      .def("__dlpack_device__",
           [](Tensor const&) {
             return std::pair{static_cast<int>(kDLCPU), 0};
           })
      .def_prop_ro("__array_interface__", &array_interface)
      .def("__arrow_c_array__", &to_arrow, nb::arg("requested_schema") = nb::none(),
           "Capsules for `pyarrow.array(t)`, which shows the memory; each dimension but the first is a fixed-size list.\n"
           "Bools become bits, NaT nulls, and other orders of elements are copied. Raises ExchangeError for types that\n"
           "Arrow has not.");
}

}  // namespace python
