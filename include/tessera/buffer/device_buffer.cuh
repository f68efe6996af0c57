// Bytes in a device's memory.
#pragma once
#include <tessera/buffer/stream_buffer.cuh>

namespace tessera { inline namespace v0 {

/// Aligned to 256 bytes, uninitialised, from a pool of the queue's own, or from its resource. Made and freed in its
/// queue's order: to use it on another queue let that one wait for an event of this one, and this one for an event of
/// that one before the buffer goes. A moved-from one is empty. One that is destroyed after its context frees nothing;
/// let it go before there is a new one, which may use the same addresses. Throws, when made: DeviceError, which says
/// how much was asked for and how much was free.
class DeviceBuffer : public detail::StreamBuffer<space::Device> {
 public:
  using StreamBuffer::StreamBuffer;
};

static_assert(AllocatableBuffer<DeviceBuffer>);

template <>
struct buffer_in<space::Device> {
  using type = DeviceBuffer;
};

}}  // namespace tessera::v0
