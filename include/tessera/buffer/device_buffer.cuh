// DeviceBuffer: bytes in device memory. PinnedBuffer: page-locked bytes in host memory, which devices copy at full
// speed and in stream order. ManagedBuffer: bytes that host and device access at one address; the driver moves the
// pages.
#pragma once
#include <tessera/buffer/detail/stream_buffer.cuh>

namespace tessera { inline namespace v0 {

/// Aligned to 256 bytes, uninitialised, from the queue's own pool or its resource. Made and freed in its queue's order.
/// To use it on another queue, make that queue wait for an event of this one, and this one for an event of that one
/// before the buffer is destroyed. A moved-from buffer is empty. One destroyed after its context frees nothing; destroy
/// it before a new context exists, which may use the same addresses. Throws, when made: OutOfMemory, which gives the
/// requested and the free bytes; DeviceError.
class DeviceBuffer : public detail::StreamBuffer<space::Device> {
 public:
  using StreamBuffer::StreamBuffer;
};

static_assert(AllocatableBuffer<DeviceBuffer>);

template <>
struct buffer_in<space::Device> {
  using type = DeviceBuffer;
};

/// Aligned to 256 bytes, uninitialised; the host may write to it at once. Freed in its queue's order: the stream keeps
/// the memory, because page-locking is expensive, and reuses it when it is done with it. The host must wait for the
/// queue before it accesses bytes that the queue works on.
class PinnedBuffer : public detail::StreamBuffer<space::Pinned> {
 public:
  using StreamBuffer::StreamBuffer;
};

static_assert(AllocatableBuffer<PinnedBuffer>);

template <>
struct buffer_in<space::Pinned> {
  using type = PinnedBuffer;
};

/// Aligned to 256 bytes, uninitialised; the host may write to it at once. Freed in its queue's order: the stream keeps
/// the memory, and reuses it when it is done with it. The host must wait for the queue before it accesses bytes that
/// the queue works on. Throws, when made: DeviceError, if the device has no concurrent managed access
/// (cudaDevAttrConcurrentManagedAccess), without which the host would have to wait for all work on the device, also
/// that of other parts of the program.
class ManagedBuffer : public detail::StreamBuffer<space::Managed> {
 public:
  using StreamBuffer::StreamBuffer;
};

static_assert(AllocatableBuffer<ManagedBuffer>);

template <>
struct buffer_in<space::Managed> {
  using type = ManagedBuffer;
};

}}  // namespace tessera::v0
