// What a read returns: memory that other libraries take without a copy, by DLPack or NumPy's array interface.
#include "module.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

namespace python {
namespace {

using tessera::dlpack::Copying, tessera::dlpack::Request;
constexpr char const *name = "dltensor_versioned", *old_name = "dltensor";

// Of a capsule that no consumer has taken.
template <class Managed>
void delete_untaken(PyObject* capsule, char const* capsule_name) {
  if (!PyCapsule_IsValid(capsule, capsule_name)) return;
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, capsule_name));
  managed->deleter(managed);
}

nb::object capsule_of(tessera::dlpack::Tensor tensor) {
  PyObject* made = nullptr;
  if (tensor.is_old())
    made = PyCapsule_New(tensor.release_old(), old_name,
                         [](PyObject* capsule) { delete_untaken<DLManagedTensor>(capsule, old_name); });
  else
    made = PyCapsule_New(tensor.release(), name,
                         [](PyObject* capsule) { delete_untaken<DLManagedTensorVersioned>(capsule, name); });
  if (!made) throw nb::python_error();
  return nb::steal(made);
}

using Version = std::optional<std::pair<std::uint32_t, std::uint32_t>>;
using Device = std::optional<std::pair<int, int>>;

nb::object to_dlpack(Tensor const& tensor, std::optional<std::intptr_t> stream, Version max_version, Device device,
                     std::optional<bool> copy) {
  Request wanted{.max_version = std::nullopt, .stream = stream};
  if (max_version) wanted.max_version = DLPackVersion{max_version->first, max_version->second};
  if (device) wanted.device = DLDevice{static_cast<DLDeviceType>(device->first), device->second};
  if (copy) wanted.copy = *copy ? Copying::always : Copying::never;
  return capsule_of(tessera::dlpack::hand_over(tensor, wanted));
}

// Throws: ExchangeError, for types that are not NumPy's own.
std::string type_string(tessera::DataType type) {
  using tessera::DataKind;
  char const kinds[] = {'b', 'i', 'u', 'f', 'c', 'V'};
  auto const& own = tessera::data_types;
  if (type.kind != DataKind::raw && std::find(std::begin(own), std::end(own), type) == std::end(own))
    throw tessera::ExchangeError{tessera::text({"elements of ", type.name(), ", which NumPy does not have"})};
  bool const has_order = type.component() > 1;
  return (has_order ? "<" : "|") + std::string(1, kinds[static_cast<int>(type.kind)]) + std::to_string(type.size);
}

nb::typed<nb::dict, nb::str, nb::any> array_interface(Tensor const& tensor) {
  nb::dict interface;
  interface["version"] = 3;
  interface["shape"] = tuple_of(tensor.layout.shape);
  interface["typestr"] = type_string(tensor.type);
  interface["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(tensor.data), tensor.read_only);
  bool const is_dense = tensor.layout == tessera::Layout::c_order(tensor.layout.shape, tensor.layout.item_size);
  if (is_dense)
    interface["strides"] = nb::none();
  else
    interface["strides"] = nb::tuple(nb::cast(std::vector<std::int64_t>(tensor.layout.strides.begin(),
                                                                        tensor.layout.strides.end())));
  return nb::borrow<nb::typed<nb::dict, nb::str, nb::any>>(interface);
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
      .def("__dlpack__", &to_dlpack, nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("max_version") = nb::none(),
           nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none(),
           "A capsule, as the array API 2024.12 says. Raises ExchangeError, which is a BufferError.")
      .def("__dlpack_device__",
           [](Tensor const&) {
             return std::pair{static_cast<int>(kDLCPU), 0};
           })
      .def_prop_ro("__array_interface__", &array_interface);
}

}  // namespace python
