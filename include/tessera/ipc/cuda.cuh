// Device memory between processes. publish: arrays in device memory by CUDA IPC, or copies of a part of them. attach,
// attach_to_write: arrays in device memory that other processes published. IpcResource, IpcPool: device memory that can
// be exported.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <cuda_runtime_api.h>

#include <tessera/array/owned_array.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/core/detail/capture_mode.cuh>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/ipc/consumer.hpp>
#include <tessera/ipc/detail/device_export.cuh>
#include <tessera/ipc/detail/device_import.cuh>
#include <tessera/ipc/producer.hpp>
#include <tessera/memory/detail/device_pool.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/memory/resource.cuh>
#include <tessera/place/detail/placer.cuh>
#include <tessera/view/array_view.hpp>

namespace tessera { inline namespace v0 { namespace ipc {

/// A memory resource for a queue: `Queue<space::Device>{host, {.device = resource}}`. Arrays read on that queue can be
/// published without a copy; memory of the pools that queues otherwise use cannot. Each block is a separate allocation
/// of whole 2 MiB, so that a handle exposes no neighbours. cudaMalloc makes blocks and cudaFree, which waits for the
/// device, frees them; the queue keeps blocks and reuses them.
class IpcResource {
 public:
  /// At least `size` bytes. Throws: DeviceError, if there is no memory.
  void* allocate(std::size_t size, std::size_t) {
    void* data = nullptr;
    auto const status = ::cudaMalloc(&data, (checked_size(size, "the block") / whole + 1) * whole);
    return tessera::detail::made(data, status, size, "device memory", "cudaMalloc");
  }
  /// Waits for the device.
  void deallocate(void* data, std::size_t, std::size_t) noexcept { tessera::detail::succeeds(::cudaFree(data)); }

 private:
  static constexpr std::size_t whole = std::size_t{2} << 20;
};

/// A memory resource like IpcResource, for many short-lived arrays: memory is allocated and freed in the queue's order,
/// without waiting for the device. A process that attaches one array can reach the whole pool. Such pools keep freed
/// memory until their destruction (CUDA's programming guide, "IPC memory pools"). For queues of one device that
/// supports them (cudaDevAttrMemoryPoolSupportedHandleTypes).
class IpcPool : public tessera::detail::DevicePool {
 public:
  IpcPool() : DevicePool{cudaMemHandleTypePosixFileDescriptor} {}
};

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

namespace detail {

/// Memory of an IpcResource for one array.
class ExportedBlock {
 public:
  ExportedBlock(std::size_t size, std::shared_ptr<tessera::detail::Stream> stream)
      : stream_{std::move(stream)} {
    tessera::detail::ApartFromCaptures const apart;
    data_ = static_cast<std::byte*>(IpcResource{}.allocate(size, 0));
  }
  ExportedBlock(ExportedBlock const&) = delete;
  ExportedBlock& operator=(ExportedBlock const&) = delete;
  ~ExportedBlock() {
    tessera::detail::InContext::call(stream_->context(), [&] {
      tessera::detail::ApartFromCaptures const apart;
      IpcResource{}.deallocate(data_, 0, 0);
    });
  }

  std::byte* data() const { return data_; }

 private:
  std::shared_ptr<tessera::detail::Stream> stream_;
  std::byte* data_ = nullptr;
};

}  // namespace detail

/// Publishes a copy of the elements, in exportable memory (of an IpcResource) and in C order, made in the order of
/// `on`: thus a part of a large array, `publish(producer, array.sub(box), on)`, keeps only its own memory. Throws:
/// IpcError, if the view is empty; OutOfMemory; DeviceError.
template <class T, std::size_t Rank>
Published publish(Producer& producer, ArrayView<T, Rank, space::Device> view, Queue<space::Device>& on) {
  auto const layout = view.layout();
  auto const bytes = checked_product(element_count(layout.shape, "the shape"), layout.item_size, "the array");
  if (bytes == 0) throw IpcError{"an array without elements has no device memory to publish"};
  tessera::detail::InContext const here{on.shared_stream()->context()};
  auto const copy = std::make_shared<detail::ExportedBlock>(checked_size(bytes, "the array"), on.shared_stream());
  Placement<space::Device> const whole{reinterpret_cast<std::byte const*>(view.data), copy->data(), layout.shape};
  auto const packed = Layout::c_order(layout.shape, layout.item_size);
  PlacementForm const form{layout.item_size, 1, {}, layout.strides, packed.strides};
  placer<space::Device>::place(std::span{&whole, 1}, form, on);
  Descriptor described;
  described.type = data_type_of<std::remove_const_t<T>>(), described.shape = layout.shape;
  described.strides = Layout::c_order(layout.shape, 1).strides;
  return detail::publish_device(producer, std::move(described), copy->data(), copy, on);
}

}}}  // namespace tessera::v0::ipc
