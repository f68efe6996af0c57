// Device memory between processes. publish: arrays in device memory, by CUDA IPC. attach, attach_to_write: arrays in
// device memory that other processes published. ipc_resource.cuh: memory that can be exported.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>

#include <tessera/array/owned_array.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/detail/device_export.cuh>
#include <tessera/ipc/detail/device_import.cuh>
#include <tessera/ipc/ipc_resource.cuh>
#include <tessera/ipc/producer.hpp>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 { namespace ipc {

/// Publishes an array in exportable device memory, without a copy: read on a queue with an IpcResource or an IpcPool,
/// or in a pool of the caller with handleTypes = cudaMemHandleTypePosixFileDescriptor. Consumers' work starts after the
/// work that `on` has so far. Throws: IpcError, which says why the memory cannot be exported, and what to do;
/// DeviceError. Pinned and managed buffers do not compile.
template <class T, std::size_t Rank, class B>
Published publish(Producer& producer, OwnedArray<T, Rank, B> array, Queue<space::Device>& on) {
  static_assert(std::same_as<typename B::space_type, space::Device>,
                "tessera: CUDA exports neither pinned nor managed memory to other processes: read into a DeviceBuffer "
                "on a queue with an IpcResource, or into a SharedBuffer for the host");
  tessera::detail::InContext const here{on.shared_stream()->context()};
  if (array.size() == 0) throw IpcError{"an array without elements has no device memory to publish"};
  Descriptor described;
  described.type = data_type_of<T>(), described.shape = array.shape(), described.strides = array.strides();
  auto const owner = std::make_shared<OwnedArray<T, Rank, B>>(std::move(array));
  return detail::publish_device(producer, std::move(described), reinterpret_cast<std::byte*>(owner->data()), owner, on);
}

/// An array in device memory, or a slice of it, with a lease to read. Later work on `on` starts after the work that the
/// producer's queue had at publication; the host does not wait. The first array of an allocation opens it, later ones
/// make no CUDA call. Closing waits for `on`. Throws: IpcError, if the descriptor is wrong or of another device;
/// ProducerGone; LeaseRefused; DeviceError.
inline Attached<space::Device> attach(Consumer& consumer, Descriptor const& array, Queue<space::Device>& on) {
  return detail::attach_device<Reading>(consumer, array, on);
}
/// With a lease to write, which excludes every other lease.
inline Attached<space::Device, Writing> attach_to_write(Consumer& consumer, Descriptor const& array,
                                                        Queue<space::Device>& on) {
  return detail::attach_device<Writing>(consumer, array, on);
}

}}}  // namespace tessera::v0::ipc
