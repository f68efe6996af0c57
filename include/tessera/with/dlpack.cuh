// DLPack 1.1 for device, pinned and managed memory: hand_over gives elements to other libraries as tensors, view uses
// tensors of theirs.
#pragma once
#include <concepts>
#include <cstddef>
#include <utility>

#include <cuda_runtime_api.h>

#include <tessera/array/detail/run_call.hpp>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/place/detail/placer.cuh>
#include <tessera/with/detail/dlpack/dlpack_streams.cuh>
#include <tessera/with/dlpack.hpp>

namespace tessera { inline namespace v0 { namespace dlpack {
namespace detail {

// Copies the elements to a buffer B; in one copy, if they are in C order.
template <class B, MemorySpace S>
B copied(Shared<S> const& from, Queue<space::Device>& on) {
  using To = typename B::space_type;
  if constexpr (std::same_as<To, S>) {
    return dense<B>(from, queue_in<S>(on));
  } else {
    if (from.layout != Layout::c_order(from.layout.shape, from.layout.item_size))
      return copy_to<B>(dense<buffer_in_t<S>>(from, queue_in<S>(on)), queue_between<To, S>(on));
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
} catch (...) {  // work in progress reads memory that may be freed now
  tessera::detail::wait_and_throw(on);
}

}  // namespace detail

/// The elements as a tensor: their own memory if it meets the consumer's request, otherwise a copy, which the tensor's
/// flags report. `on` is the queue that the elements are used on; host elements may be copied to its device. The
/// consumer's stream waits, by an event, for the work given to `on` so far. A tensor for the host, and a pinned or
/// managed one without a stream, is ready when this returns: it waits for the queue. The deleter releases the memory
/// after the work that a named stream was given before: by an event for the legacy default stream, otherwise by waiting
/// for the device. While a stream of the device is captured into a graph, CUDA refuses to wait, and the capture fails:
/// then the memory stays until the next tensor of `on` is deleted, or `on.trim()`. Throws: ExchangeError, if the
/// consumer forbids a copy that is needed, asks for another device, or names an invalid stream; DeviceError.
template <MemorySpace S>
Tensor hand_over(Shared<S> const& from, Queue<space::Device>& on, Request const& wanted = {}) {
  auto const here = device_of<S>(on.device());
  auto const target = wanted.device.value_or(here);
  if (wanted.stream && target.device_type == kDLCPU)
    throw ExchangeError{"found a stream, expected none: host tensors have no stream"};
  if (wanted.stream) (void)detail::handle_of(*wanted.stream);
  bool const is_there = is_same(target, here) || (S::host_accessible && target.device_type == kDLCPU);
  auto why = detail::obstacle(from, wanted);
  if (why.empty() && is_there && wanted.copy != Copying::always)
    return detail::tensor_of(detail::ordered(from, target, on, wanted), target, wanted, false);
  if (!is_there) why = to_text({"the elements are in the memory of ", name_of(here), ", not of ", name_of(target)});
  detail::expect_copy_allowed(wanted, why);
  if (target.device_type == kDLCPU) return detail::hand_over_copy<HostBuffer>(from, target, on, wanted);
  if (target.device_type == kDLCUDAHost) return detail::hand_over_copy<PinnedBuffer>(from, target, on, wanted);
  if (target.device_type == kDLCUDAManaged) return detail::hand_over_copy<ManagedBuffer>(from, target, on, wanted);
  if (!is_same(target, device_of<space::Device>(on.device())))
    throw ExchangeError{to_text({"the consumer asks for ", name_of(target), ", but the queue is for ",
                                 name_of(device_of<space::Device>(on.device()))})};
  return detail::hand_over_copy<DeviceBuffer>(from, target, on, wanted);
}

/// The same, also for consumers on another device: `there` is a queue of it. The elements are copied there by a peer
/// copy, which needs no path between the devices. Throws: ExchangeError also, if the consumer asks for a third device.
template <MemorySpace S>
Tensor hand_over(Shared<S> const& from, Queue<space::Device>& on, Queue<space::Device>& there,
                 Request const& wanted = {}) {
  auto const target = wanted.device.value_or(device_of<S>(on.device()));
  if (target.device_type != kDLCUDA || target.device_id != there.device() || on.device() == there.device())
    return hand_over(from, on, wanted);
  if (wanted.stream) (void)detail::handle_of(*wanted.stream);
  detail::expect_copy_allowed(wanted, to_text({"the elements are in the memory of ",
                                               name_of(device_of<S>(on.device())), ", not of ", name_of(target)}));
  DeviceBuffer here;  // if the peer copy is in progress when a call fails, it ends first
  try {
    here = detail::copied<DeviceBuffer>(from, on);
    on.keep(from.owner);
    there.after(on.record());
    DeviceBuffer copy(here.view().size, there);
    here.copy_across(here.view(), copy.span(), there);
    on.after(there.record());  // before the memory of `here` is used again
    return detail::tensor_of(detail::ordered(detail::shared_copy(from, std::move(copy)), target, there, wanted), target,
                             wanted, true);
  } catch (...) {
    tessera::detail::wait_in_handler(there);
    tessera::detail::wait_and_throw(on);
  }
}

/// A view of a tensor's memory in space S, with const or other elements: a source of Array::write and a destination of
/// Array::read on `on`, during the tensor's lifetime. The caller orders other work on the memory with `on`. Asks the
/// CUDA runtime for the kind of memory. Throws: ExchangeError, if it is in another space or on another device than the
/// queue's, and as `view` of host tensors; DeviceError.
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
    throw ExchangeError{to_text({"the tensor says that it is in the memory of ", name_of(expected),
                                 ", but the CUDA runtime says that it is not"})};
  return result;
}
template <class T, std::size_t Rank, MemorySpace S>
requires(S::device_accessible) ArrayView<T, Rank, S> view(Tensor const&&, Queue<space::Device> const&)
= delete;

}}}  // namespace tessera::v0::dlpack
