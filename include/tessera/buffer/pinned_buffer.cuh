// PinnedBuffer: page-locked bytes in host memory, which devices copy at full speed and in stream order.
#pragma once
#include <tessera/buffer/detail/stream_buffer.cuh>

namespace tessera { inline namespace v0 {

/// Aligned to 256 bytes, uninitialised; the host may write to it at once. Freed in its queue's order: the stream keeps
/// the memory, because page-locking is expensive, and reuses it when it is done with it. The host must wait for the
/// queue before it touches bytes that the queue works on.
class PinnedBuffer : public detail::StreamBuffer<space::Pinned> {
 public:
  using StreamBuffer::StreamBuffer;
};

static_assert(AllocatableBuffer<PinnedBuffer>);

template <>
struct buffer_in<space::Pinned> {
  using type = PinnedBuffer;
};

}}  // namespace tessera::v0
