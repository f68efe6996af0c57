// Every crossing that touches the device, or memory that it reaches.
#pragma once
#include <cuda_runtime_api.h>

#include <tessera/buffer/device_buffer.cuh>
#include <tessera/buffer/managed_buffer.cuh>
#include <tessera/buffer/pinned_buffer.cuh>
#include <tessera/cast/concept.hpp>
#include <tessera/core/cuda_check.cuh>
#include <tessera/core/cuda_context.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

// One copy in the stream's order. (Programming guide, "Asynchronous Concurrent Execution": from and to pageable memory
// the runtime may wait; do not rely on it.)
template <MemorySpace To, MemorySpace From>
struct StreamCopy {
  static void copy(ByteView<From> from, ByteSpan<To> to, Queue<space::Device>& on) {
    if (from.size == 0) return;
    InContext const here{on.shared_stream()->context()};
    check(::cudaMemcpyAsync(to.data, from.data, from.size, cudaMemcpyDefault, on.stream()), "cudaMemcpyAsync");
  }
  // Before what the queue was given earlier: none of that uses `to`, and `from` is there. What it is given later comes
  // after the copy.
  static void copy_ahead(ByteView<From> from, ByteSpan<To> to, Queue<space::Device>& on) requires(
      From::host_accessible && !To::host_accessible) {
    if (from.size != 0) on.shared_stream()->copy_ahead(from.data, to.data, from.size);
  }
};

}  // namespace detail

template <MemorySpace To, MemorySpace From>
requires(To::device_accessible || From::device_accessible) struct crossing<To, From> : detail::StreamCopy<To, From> {
};

/// Where to put the host's bytes on their way to and from the device: the runtime stages copies of pageable memory.
template <>
struct staging<space::Device, space::Host> {
  using type = space::Pinned;
};

}}  // namespace tessera::v0
