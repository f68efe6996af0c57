// Crossings that involve a device, or memory that it can access.
#pragma once
#include <cuda_runtime_api.h>

#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/cast.hpp>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

// One copy in stream order. (Programming guide, "Asynchronous Concurrent Execution": the runtime may wait for copies
// from and to pageable memory; do not rely on it.)
template <MemorySpace To, MemorySpace From>
struct StreamCopy {
  static void copy(ByteView<From> from, ByteSpan<To> to, Queue<space::Device>& on) {
    if (from.size == 0) return;
    InContext const here{on.shared_stream()->context()};
    check(::cudaMemcpyAsync(to.data, from.data, from.size, cudaMemcpyDefault, on.stream()), "cudaMemcpyAsync");
  }
  // Copies before earlier work of the queue. Requires: that work does not use `to`, and `from` is already written.
  // Later work comes after the copy.
  static void copy_ahead(ByteView<From> from, ByteSpan<To> to, Queue<space::Device>& on) requires(
      From::host_accessible && !To::host_accessible) {
    if (from.size != 0) on.shared_stream()->copy_ahead(from.data, to.data, from.size);
  }
};

}  // namespace detail

template <MemorySpace To, MemorySpace From>
requires(To::device_accessible || From::device_accessible) struct crossing<To, From> : detail::StreamCopy<To, From> {
};

/// Pinned, because the runtime stages copies of pageable memory.
template <>
struct staging<space::Device, space::Host> {
  using type = space::Pinned;
};

}}  // namespace tessera::v0
