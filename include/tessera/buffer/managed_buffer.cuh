// Bytes that host and device reach at one address: the driver moves the pages.
#pragma once
#include <tessera/buffer/stream_buffer.cuh>

namespace tessera { inline namespace v0 {

/// Aligned to 256 bytes, uninitialised, free for the host to write to when it is made. Freed in its queue's order: the
/// stream keeps the memory and lends it again when it is done with it.
/// Before the host touches what the queue works on, it waits for the queue. Throws, when made: DeviceError, where
/// devices have no concurrent managed access (cudaDevAttrConcurrentManagedAccess): the host would have to wait for
/// everything that the device does, of whichever program part.
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
