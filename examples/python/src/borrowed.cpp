// Memory of other libraries, as destinations of reads and sources of writes.
#include "module.hpp"

#include <algorithm>
#include <charconv>
#include <typeinfo>

#include <tessera/core/detail/numpy_type.hpp>

namespace python {
namespace {

using tessera::DataKind, tessera::DataType, tessera::ExchangeError, tessera::to_text;

// The capsule's tensor; the consumer owns it from now on.
tessera::dlpack::Tensor take(nb::handle capsule) {
  auto const taken = [&]<class Managed>(char const* name, char const* used, Managed*) -> tessera::dlpack::Tensor {
    auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (!managed || PyCapsule_SetName(capsule.ptr(), used) != 0) throw nb::python_error();
    return tessera::dlpack::Tensor{managed};
  };
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned"))
    return taken("dltensor_versioned", "used_dltensor_versioned", static_cast<DLManagedTensorVersioned*>(nullptr));
  return taken("dltensor", "used_dltensor", static_cast<DLManagedTensor*>(nullptr));
}

// Older producers accept only the stream argument, and those of host memory may accept none.
nb::object capsule_of(nb::handle object, std::optional<std::intptr_t> stream) {
  auto const method = object.attr("__dlpack__");
  auto const max_version = nb::arg("max_version") = nb::make_tuple(DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION);
  auto const copy = nb::arg("copy") = false;
  try {
    return in_python([&] {
      return stream ? method(max_version, copy, nb::arg("stream") = *stream) : method(max_version, copy);
    });
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return in_python([&] { return stream ? method(nb::arg("stream") = *stream) : method(); });
}

void expect_host(nb::handle object) {
  auto const device = nb::cast<std::pair<int, int>>(in_python([&] { return object.attr("__dlpack_device__")(); }));
  if (device.first != kDLCPU && device.first != kDLCUDAHost)
    tessera::dlpack::detail::refuse_device({static_cast<DLDeviceType>(device.first), device.second},
                                           "that of the host");
}

[[noreturn]] void refuse_order(std::string const& name) {
  throw ExchangeError{to_text({"elements of type \"", name, "\" are in the other byte order: convert them first"})};
}

// Other kinds than those of tensors: times, and text of a fixed length.
DataType other_type_of(std::string const& name) {
  auto const found = tessera::detail::read_numpy_type({tessera::Value{name}, "typestr"});
  if (found.is_big) refuse_order(name);
  return found.type;
}

DataType type_of(std::string const& name) {
  if (name.size() > 2 && std::string_view{"MmUS"}.find(name[1]) != std::string_view::npos) return other_type_of(name);
  std::string_view const kinds = "biufcV";
  auto const kind = name.size() > 2 ? kinds.find(name[1]) : kinds.npos;
  bool const is_foreign = kind != kinds.npos && kinds[kind] == 'V' && name[0] != '|';  // bfloat16 of ml_dtypes is "<V2"
  if (kind == kinds.npos || is_foreign)
    throw ExchangeError{to_text({"elements of type \"", name, "\", which tessera does not have"})};
  if (name[0] == '>') refuse_order(name);
  std::uint32_t size = 0;
  auto const last = name.data() + name.size();
  if (auto const [end, failed] = std::from_chars(name.data() + 2, last, size); failed != std::errc{} || end != last)
    throw ExchangeError{to_text({"elements of type \"", name, "\", which tessera does not have"})};
  return {static_cast<DataKind>(kind), size};
}

// NumPy calls their elements raw, too, and lists the fields separately.
bool is_struct(nb::dict const& interface) {
  if (!interface.contains("descr") || !nb::isinstance<nb::list>(interface["descr"])) return false;
  nb::list const fields{interface["descr"]};
  return fields.size() > 0 && (fields.size() > 1 || !nb::object(fields[0][0]).equal(nb::str("")));
}

}  // namespace

Borrowed borrow_by_interface(nb::handle object, char const* attribute) try {
  auto const interface = nb::cast<nb::dict>(in_python([&] { return nb::object(object.attr(attribute)); }));
  auto const type = type_of(nb::cast<std::string>(interface["typestr"]));
  if (is_struct(interface)) throw ExchangeError{"elements of a struct, which the module does not exchange"};
  auto const shape = extents_of(nb::cast<std::vector<std::uint64_t>>(interface["shape"]));
  auto layout = tessera::Layout::c_order(shape, type.size);
  if (interface.contains("strides") && !interface["strides"].is_none())
    layout.strides = tessera::Strides(nb::cast<std::vector<std::int64_t>>(interface["strides"]));
  if (!interface.contains("data") || interface["data"].is_none())
    throw ExchangeError{"an array interface without an address"};
  auto const [address, read_only] = nb::cast<std::pair<std::uintptr_t, bool>>(interface["data"]);
  if (layout.strides.rank() != shape.rank())
    throw ExchangeError{
        to_text({"an array interface of ", shape.rank(), " dimensions and ", layout.strides.rank(), " strides"})};
  if (address == 0 && tessera::element_count(shape, "the array interface") != 0)
    throw ExchangeError{"an array interface with elements and no memory"};
  return {{reinterpret_cast<std::byte*>(address), type, layout}, read_only, {}, nb::borrow(object)};
} catch (std::bad_cast const&) {
  throw ExchangeError{to_text({"found an ", attribute, " with a member of another type than NumPy's interface says"})};
}

Borrowed borrow_by_dlpack(nb::handle object, std::optional<std::intptr_t> stream) {
  auto tensor = take(capsule_of(object, stream));
  auto const elements = tessera::dlpack::elements_of(tensor);
  auto const read_only = tensor.is_read_only();
  return {elements, read_only, std::move(tensor), nb::borrow(object)};
}

Borrowed borrow(nb::handle object) {
  auto const has_interface = [&] { return nb::hasattr(object, "__array_interface__"); };  // creating one takes long
  if (nb::hasattr(object, "__dlpack__")) {
    if (nb::hasattr(object, "__dlpack_device__")) expect_host(object);
    try {
      auto memory = borrow_by_dlpack(object, std::nullopt);
      auto const device = memory.tensor.get().device;
      if (device.device_type != kDLCPU && device.device_type != kDLCUDAHost)
        tessera::dlpack::detail::refuse_device(device, "that of the host");
      return memory;
    } catch (nb::python_error& error) {  // NumPy does not export raw bits
      if (!error.matches(PyExc_BufferError) || !has_interface()) throw;
    }
  }
  if (!has_interface()) throw nb::type_error("expected an object with __dlpack__ or __array_interface__");
  return borrow_by_interface(object, "__array_interface__");
}

}  // namespace python
