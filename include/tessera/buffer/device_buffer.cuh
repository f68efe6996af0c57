// DeviceBuffer: bytes in device memory.
#pragma once
#include <tessera/buffer/detail/stream_buffer.cuh>

namespace tessera { inline namespace v0 {

/// Aligned to 256 bytes, uninitialised, from the queue's own pool or its resource. Made and freed in its queue's order.
/// To use it on another queue, make that queue wait for an event of this one, and this one for an event of that one
/// before the buffer is destroyed. A moved-from buffer is empty. One destroyed after its context frees nothing; destroy
/// it before a new context exists, which may use the same addresses. Throws, when made: DeviceError, which gives the
/// requested and the free bytes.
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
