// Scratch: reusable memory that grows to the largest request and is kept.
#pragma once
#include <concepts>
#include <cstddef>

#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/memory/queue.hpp>

namespace tessera { inline namespace v0 {

template <MemorySpace S>
class Scratch {
 public:
  /// n uninitialised bytes. Invalidates the result of earlier calls.
  ByteSpan<S> take(std::size_t n, queue_for<S>& on) {
    if (buffer_.span().size < n) {
      buffer_ = {};  // first, so that both are not held at once
      buffer_ = buffer_in_t<S>(n, on);
    }
    return buffer_.span().sub(0, n);
  }

  /// The bytes that it keeps for later calls.
  std::size_t held() const { return buffer_.view().size; }

 private:
  buffer_in_t<S> buffer_;
};

/// Host scratch comes from the queue's memory resource, if the queue was given one.
template <>
class Scratch<space::Host> {
 public:
  ByteSpan<space::Host> take(std::size_t n, Queue<space::Host>& on);
  std::size_t held() const { return plain_.view().size + pooled_.view().size; }

 private:
  HostBuffer plain_;
  PmrBuffer pooled_;  // one of the two is empty
};

namespace detail {

// The queue's scratch as memory of the space that it replaces: the host may use pinned memory once it is lent.
template <MemorySpace To, MemorySpace From>
ByteSpan<To> seen_in(ByteSpan<From> scratch) {
  static_assert(std::same_as<To, From> || (From::host_accessible && From::device_accessible));
  return {scratch.data, scratch.size};
}

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/buffer/detail/scratch.ipp>
#endif
