// ManagedBuffer: bytes that host and device access at one address; the driver moves the pages.
#pragma once
#include <tessera/buffer/detail/stream_buffer.cuh>

namespace tessera { inline namespace v0 {

/// Aligned to 256 bytes, uninitialised; the host may write to it at once. Freed in its queue's order: the stream keeps
/// the memory, and reuses it when it is done with it. The host must wait for the queue before it touches bytes that the
/// queue works on. Throws, when made: DeviceError, if the device has no concurrent managed access
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
