// Device, pinned and managed memory handed to other libraries as tensors, by DLPack 1.1, and theirs taken.
#pragma once
#include <concepts>
#include <cstddef>
#include <utility>

#include <cuda_runtime_api.h>

#include <tessera/array/under_way.hpp>
#include <tessera/cast/host_device.cuh>
#include <tessera/core/cuda_check.cuh>
#include <tessera/core/cuda_context.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/place/copy.cuh>
#include <tessera/with/dlpack.hpp>
#include <tessera/with/dlpack_streams.cuh>

namespace tessera { inline namespace v0 { namespace dlpack {
namespace detail {

// In a buffer B, by one copy if the elements lie in C order.
template <class B, MemorySpace S>
B copied(Shared<S> const& from, Queue<space::Device>& on) {
  using To = typename B::space_type;
  if constexpr (std::same_as<To, S>) {
    return dense<B>(from, queue_in<S>(on));
  } else {
    if (from.layout != Layout::c_order(from.layout.shape, from.layout.item_size))
      return cast<B>(dense<buffer_in_t<S>>(from, queue_in<S>(on)), queue_between<To, S>(on));
    B result(element_count(from.layout.shape, "the shape") * from.layout.item_size, queue_in<To>(on));
    crossing<To, S>::copy({from.data, result.view().size}, result.span(), queue_between<To, S>(on));
    return result;
  }
}

template <class B, MemorySpace S>
Tensor hand_over_copy(Shared<S> const& from, DLDevice target, Queue<space::Device>& on, Request const& wanted) try {
  auto copy = copied<B>(from, on);
  on.keep(from.owner);
  return tensor_of(ordered(shared_copy(from, std::move(copy)), target, on, wanted), target, wanted, true);
} catch (...) {  // what was begun reads memory that may go now
  tessera::detail::wait_and_throw(on);
}

}  // namespace detail

/// The elements as a tensor: their own memory if it can be shown as the consumer asks, else a copy, which its flags
/// tell. `on` is the queue that the elements are used on; the host's may be copied to its device. The consumer's stream
/// comes after what `on` was given so far, by an event. A tensor for the host, and a pinned or managed one without a
/// stream, is there when this returns: it waits for the queue. The deleter gives the memory back after the work that a
/// named stream was given before: for the legacy default stream by an event, for others it waits for the device.
/// Throws: ExchangeError, if the consumer forbids the copy that is needed, asks for another device, or names a stream
/// that is none; DeviceError.
template <MemorySpace S>
Tensor hand_over(Shared<S> const& from, Queue<space::Device>& on, Request const& wanted = {}) {
  auto const here = device_of<S>(on.device());
  auto const target = wanted.device.value_or(here);
  if (wanted.stream && target.device_type == kDLCPU)
    throw ExchangeError{"a stream was given, and the host's tensors have none"};
  if (wanted.stream) (void)detail::handle_of(*wanted.stream);
  bool const is_there = is_same(target, here) || (S::host_accessible && target.device_type == kDLCPU);
  auto why = detail::obstacle(from, wanted);
  if (why.empty() && is_there && wanted.copy != Copying::always)
    return detail::tensor_of(detail::ordered(from, target, on, wanted), target, wanted, false);
  if (!is_there) why = text({"the elements are in the memory of ", name_of(here), ", not of ", name_of(target)});
  detail::expect_copy_allowed(wanted, why);
  if (target.device_type == kDLCPU) return detail::hand_over_copy<HostBuffer>(from, target, on, wanted);
  if (target.device_type == kDLCUDAHost) return detail::hand_over_copy<PinnedBuffer>(from, target, on, wanted);
  if (target.device_type == kDLCUDAManaged) return detail::hand_over_copy<ManagedBuffer>(from, target, on, wanted);
  if (!is_same(target, device_of<space::Device>(on.device())))
    throw ExchangeError{text({"the consumer asks for ", name_of(target), ", and the queue is one of ",
                              name_of(device_of<space::Device>(on.device()))})};
  return detail::hand_over_copy<DeviceBuffer>(from, target, on, wanted);
}

/// A tensor in space S as a view of const or other elements, in its memory: a source of Array::write and a destination
/// of Array::read on `on`, for as long as the tensor is there. What fills or uses it elsewhere is ordered with `on` by
/// whoever got the tensor. The CUDA runtime is asked what memory it is. Throws: ExchangeError, if it is in another
/// space or of another device than the queue's, and as view of the host's tensors; DeviceError.
template <class T, std::size_t Rank, MemorySpace S>
requires(S::device_accessible) ArrayView<T, Rank, S> view(Tensor const& tensor, Queue<space::Device> const& on) {
  auto const result = detail::checked_view<T, Rank, S>(tensor);
  auto const expected = device_of<S>(on.device());
  if (!is_same(tensor.get().device, expected)) detail::refuse_device(tensor.get().device, name_of(expected));
  if (!result.data) return result;
  tessera::detail::InContext const in{on.shared_stream()->context()};
  cudaPointerAttributes found{};
  tessera::detail::check(::cudaPointerGetAttributes(&found, result.data), "cudaPointerGetAttributes");
  auto const wanted = std::same_as<S, space::Device>    ? cudaMemoryTypeDevice
                      : std::same_as<S, space::Managed> ? cudaMemoryTypeManaged
                                                        : cudaMemoryTypeHost;
  if (found.type != wanted || (wanted == cudaMemoryTypeDevice && found.device != on.device()))
    throw ExchangeError{text({"the tensor says that its memory is that of ", name_of(expected),
                              ", and the CUDA runtime says that it is not"})};
  return result;
}
template <class T, std::size_t Rank, MemorySpace S>
requires(S::device_accessible) ArrayView<T, Rank, S> view(Tensor const&&, Queue<space::Device> const&)
= delete;

}}}  // namespace tessera::v0::dlpack
