// write_local and read_local of device memory: a rank's elements pass through page-locked memory.
#pragma once
#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>

#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/host_device.cuh>
#include <tessera/core/detail/checked.hpp>
#include <tessera/memory/queue.cuh>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/parallel/detail/agreed.hpp>
#include <tessera/parallel/local.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// A rank's memory on the device, and as much page-locked memory.
template <class T, std::size_t Rank>
class StagedPart {
 public:
  /// Throws: SelectionError, if the memory is not contiguous in C order, or has another shape; DeviceError.
  template <class M>
  StagedPart(M& memory, Extents const& shape, Queue<space::Device>& on)
      : shape_{shape},
        size_{checked_size(checked_product(element_count(shape, "memory"), sizeof(T), "memory"), "memory")},
        staged_{size_, on} {
    auto const view = caller_view<Rank>(memory, shape);
    if (size_ != 0 && view.layout().strides != Layout::c_order(shape, sizeof(T)).strides)
      throw SelectionError{"found device memory with gaps or in another order, expected elements in C order"};
    data_ = const_cast<std::byte*>(reinterpret_cast<std::byte const*>(view.data));
  }

  ArrayView<T, Rank> view() { return ArrayView<T, Rank>::c_order(reinterpret_cast<T*>(staged_.span().data), shape_); }
  void from_device(Queue<space::Device>& on) {
    crossing<space::Pinned, space::Device>::copy({data_, size_}, staged_.span(), on);
    on.wait();
  }
  void to_device(Queue<space::Device>& on) {
    crossing<space::Device, space::Pinned>::copy(staged_.view(), {data_, size_}, on);
    on.wait();
  }

 private:
  Extents shape_;
  std::size_t size_;
  PinnedBuffer staged_;
  std::byte* data_ = nullptr;
};

template <class M>
concept DeviceMemory = CallerMemory<M>::known && std::same_as<typename CallerMemory<M>::space, space::Device>;

}  // namespace detail

/// Called by all ranks: as write_local of an array in host memory, from device memory in C order. Waits for the queue's
/// work, and copies all of the rank's memory to page-locked memory. Throws: as write_local; DeviceError.
template <Communicator C, class T, std::size_t Rank, class S, class P, detail::DeviceMemory M>
void write_local(C const& ranks, Array<T, Rank, S, P> const& array, Partition const& partition, M const& memory,
                 Queue<space::Device>& on, LocalWriteOptions const& options = {}) {
  if constexpr (detail::check_local<T, P>()) {
    detail::ErasedCommunicatorOf<C> all{ranks};
    std::optional<detail::StagedPart<T, Rank>> staged;
    detail::in_document(array.untyped().store(), array.untyped().document(), [&] {
      detail::agreed(all, [&] {
        staged.emplace(memory, partition.memory_shape(all.rank()), on);
        staged->from_device(on);
      });
    });
    write_local(ranks, array, partition, staged->view(), options);
  }
}

/// Called by all ranks: as read_local of an array in host memory, into device memory in C order, through as much
/// page-locked memory. Returns when the elements are there. Throws: as read_local; DeviceError.
template <Communicator C, class T, std::size_t Rank, class S, class P, detail::DeviceMemory M>
void read_local(C const& ranks, Array<T, Rank, S, P> const& array, Partition const& partition, M& memory,
                Queue<space::Device>& on, LocalReadOptions const& options = {}) {
  if constexpr (detail::check_local<T, P>()) {
    detail::ErasedCommunicatorOf<C> all{ranks};
    std::optional<detail::StagedPart<T, Rank>> staged;
    detail::in_document(array.untyped().store(), array.untyped().document(), [&] {
      detail::agreed(all, [&] { staged.emplace(memory, partition.memory_shape(all.rank()), on); });
    });
    read_local(ranks, array, partition, staged->view(), options);
    detail::agreed(all, [&] { staged->to_device(on); });
  }
}

}}  // namespace tessera::v0
