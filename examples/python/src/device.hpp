// The module's half for device and pinned memory, an extension of its own: what needs the CUDA runtime.
#pragma once
#include "array.hpp"
#include "capsule.hpp"

#include <tessera/compiled.cuh>
#include <tessera/with/dlpack.cuh>

namespace python {

using DeviceSpace = tessera::space::Device;
using DeviceQueue = tessera::Queue<DeviceSpace>;
using DeviceElements = tessera::dlpack::Shared<DeviceSpace>;
using PinnedTensor = tessera::dlpack::Shared<tessera::space::Pinned>;
using DevicePipeline = tessera::AnyPipeline<DeviceSpace, Host, tessera::AllCodecs>;

/// The queue of the module's device: the calling thread's, when it is first asked for. Until Python ends.
DeviceQueue queue_of_device();

/// Elements in a device's memory.
struct DeviceTensor {
  DeviceElements elements;
  DeviceQueue on;  ///< whose work fills them
  bool is_lent = false;  ///< its address was told
};

/// An array of the host's half whose elements are read into device memory: of the same shape, whoever changes it.
struct DeviceArray {
  using Native = decltype(std::declval<Array const&>().through<DevicePipeline>(std::declval<DeviceQueue>()));

  explicit DeviceArray(Array const& array) : on{queue_of_device()}, native{array.through<DevicePipeline>(on)} {}

  DeviceQueue on;
  Native native;
};

/// Into memory of the array's type in C order; when this returns, the queue may still be at it.
void read_on_device(DeviceArray const& array, Selection const& selection, std::byte* data, nb::object progress);
void read_on_device(DeviceArray const& array, tessera::Extents const& shape, std::byte* data);

/// Memory of an object with `__dlpack__` or `__cuda_array_interface__`, which the queue's later work may use. Throws:
/// ExchangeError, if it is not that of the queue's device.
Borrowed borrow_of_device(nb::handle object, DeviceQueue& on);

void add_device_arrays(nb::module_& module);
void add_device_sharing(nb::module_& module);

}  // namespace python
