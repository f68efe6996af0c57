// Exporting memory to other libraries: the capsules of DLPack, and the dictionaries of array interfaces.
#pragma once
#include "module.hpp"

#include <optional>
#include <string>

#include <tessera/core/detail/numpy_type.hpp>

namespace python {
namespace detail {

inline constexpr char const *capsule_name = "dltensor_versioned", *old_capsule_name = "dltensor";

// For a capsule without a consumer.
template <class Managed>
void delete_untaken(PyObject* capsule, char const* name) {
  if (!PyCapsule_IsValid(capsule, name)) return;
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}

}  // namespace detail

inline nb::object capsule_of(tessera::dlpack::Tensor tensor) {
  using namespace detail;
  PyObject* made = nullptr;
  if (tensor.is_old())
    made = PyCapsule_New(tensor.release_old(), old_capsule_name,
                         [](PyObject* capsule) { delete_untaken<DLManagedTensor>(capsule, old_capsule_name); });
  else
    made = PyCapsule_New(tensor.release(), capsule_name,
                         [](PyObject* capsule) { delete_untaken<DLManagedTensorVersioned>(capsule, capsule_name); });
  if (!made) throw nb::python_error();
  return nb::steal(made);
}

using Version = std::optional<std::pair<std::uint32_t, std::uint32_t>>;
using DeviceWanted = std::optional<std::pair<int, int>>;

/// The arguments of `__dlpack__`.
inline tessera::dlpack::Request request_of(std::optional<std::intptr_t> stream, Version max_version,
                                           DeviceWanted device, std::optional<bool> copy) {
  using tessera::dlpack::Copying;
  tessera::dlpack::Request wanted{.max_version = std::nullopt, .stream = stream};
  if (max_version) wanted.max_version = DLPackVersion{max_version->first, max_version->second};
  if (device) wanted.device = DLDevice{static_cast<DLDeviceType>(device->first), device->second};
  if (copy) wanted.copy = *copy ? Copying::always : Copying::never;
  return wanted;
}

/// Of a struct: that of raw bytes. Throws: ExchangeError, for types that NumPy itself lacks.
inline std::string type_string(tessera::DataType type) {
  using tessera::DataKind;
  if (type.format != tessera::NumberFormat::usual || type.varies())
    throw tessera::ExchangeError{tessera::to_text({"elements of ", type.name(), ", which NumPy does not have"})};
  if (type.kind == DataKind::structure) type = {DataKind::raw, type.size};
  return tessera::detail::write_numpy_type({type});
}

/// The same memory as raw bytes.
template <class T>
T raw(T tensor) {
  tensor.type = {tessera::DataKind::raw, tensor.type.size};
  return tensor;
}

using Interface = nb::typed<nb::dict, nb::str, nb::any>;
/// `__array_interface__`; that of CUDA is the same with a stream.
inline Interface interface_of(std::byte const* data, tessera::DataType type, tessera::Layout const& layout,
                              bool read_only) {
  nb::dict interface;
  interface["version"] = 3;
  interface["shape"] = tuple_of(layout.shape);
  interface["typestr"] = type_string(type);
  interface["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(data), read_only);
  interface["strides"] = nb::none();
  if (layout != tessera::Layout::c_order(layout.shape, layout.item_size))
    interface["strides"] = nb::tuple(nb::cast(std::vector<std::int64_t>(layout.strides.begin(), layout.strides.end())));
  return nb::borrow<Interface>(interface);
}

}  // namespace python
