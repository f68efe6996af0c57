// Page-locked bytes of the host, which devices copy at full speed and in a stream's order.
#pragma once
#include <tessera/buffer/stream_buffer.cuh>

namespace tessera { inline namespace v0 {

/// Aligned to 256 bytes, uninitialised, free for the host to write to when it is made. Freed in its queue's order: the
/// queue's stream keeps the memory, because page-locking is expensive, and lends it again when it is done with it.
/// Before the host touches what the queue works on, it waits for the queue.
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
