// The module's half for device and pinned memory, an extension of its own, because it needs the CUDA runtime.
#pragma once
#include "array.hpp"
#include "arrow.hpp"
#include "capsule.hpp"
#include "decoding.hpp"

#include <optional>

#include <tessera/tessera.cuh>
#include <tessera/with/dlpack.cuh>

namespace python {

using DeviceSpace = tessera::space::Device;
using DeviceQueue = tessera::Queue<DeviceSpace>;
using DeviceElements = tessera::dlpack::Shared<DeviceSpace>;
using PinnedTensor = tessera::dlpack::Shared<tessera::space::Pinned>;
using DevicePipeline =
    tessera::AnyPipeline<DeviceSpace, Host, typename with_device_decoders<tessera::AllCodecs>::type>;

/// The queue of a device, by default of the calling thread's at the first call. Lives until Python ends. Throws:
/// DeviceError, if there is no such device.
DeviceQueue queue_of_device(std::optional<int> device = std::nullopt);

/// Orders a stream's later work after the queue's. Streams are as DLPack numbers them.
void let_follow(DeviceQueue& on, std::intptr_t stream);
/// Orders the queue's later work after a stream's.
void follow(DeviceQueue& on, std::intptr_t stream);

/// Elements in device memory.
struct DeviceTensor {
  DeviceElements elements;
  DeviceQueue on;  ///< the queue that fills them
  bool is_lent = false;  ///< its address was given out
};

/// An array of the host half whose elements are read into device memory: of the same shape, even after another writer
/// resized it. The host encodes what is written.
struct DeviceArray {
  using Native = decltype(std::declval<Array const&>().through<DevicePipeline>(std::declval<DeviceQueue>()));

  /// Throws: MetadataError, if nvCOMP must decode the chunks and cannot.
  DeviceArray(Array const& array, std::optional<int> device, Decoding decoding)
      : on{queue_of_device(device)}, native{through(array, decoding)}, written{through(array, {})} {}

  DeviceQueue on;
  Native native, written;

 private:
  Native through(Array const& array, Decoding decoding) const {
    DecodingScope const scope{decoding};
    return array.through<DevicePipeline>(on);
  }
};

/// Into memory of the array's type in C order; when this returns, the queue may still be working on it.
void read_on_device(DeviceArray const& array, Selection const& selection, std::byte* data, nb::object progress);
void read_on_device(DeviceArray const& array, tessera::Extents const& shape, std::byte* data);

/// Memory of an object with `__dlpack__` or `__cuda_array_interface__`, which the queue's later work may use. Throws:
/// ExchangeError, if it does not belong to the queue's device.
Borrowed borrow_of_device(nb::handle object, DeviceQueue& on);

/// `__arrow_c_device_array__` of a tensor.
Capsules arrow_of(DeviceTensor const& tensor, nb::object requested_schema, nb::kwargs more);

void add_device_arrays(nb::module_& module);
void add_device_boxes(nb::module_& module);
void add_device_sharing(nb::module_& module);
void add_device_arrow(nb::module_& module);

}  // namespace python
