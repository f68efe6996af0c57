// Memory that is used again and again: it grows to what was asked for and stays.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory_resource>

#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/buffer/pmr_buffer.hpp>
#include <tessera/memory/queue.hpp>

namespace tessera { inline namespace v0 {

template <MemorySpace S>
class Scratch {
 public:
  /// n bytes, uninitialised. Invalidates what an earlier call gave.
  ByteSpan<S> take(std::size_t n, queue_for<S>& on) {
    if (buffer_.span().size < n) {
      buffer_ = {};  // first, or both would be held at once
      buffer_ = buffer_in_t<S>(n, on);
    }
    return buffer_.span().sub(0, n);
  }

  /// The bytes that it holds for the next call.
  std::size_t held() const { return buffer_.view().size; }

 private:
  buffer_in_t<S> buffer_;
};

/// The host's comes from the queue's memory resource, where it was given one of its own.
template <>
class Scratch<space::Host> {
 public:
  ByteSpan<space::Host> take(std::size_t n, Queue<space::Host>& on) {
    if (held() < n) {
      plain_ = {}, pooled_ = {};
      if (on.resource() == std::pmr::new_delete_resource())
        plain_ = HostBuffer(n, on);
      else
        pooled_ = PmrBuffer(n, on);
    }
    return (pooled_.view().size > 0 ? pooled_.span() : plain_.span()).sub(0, n);
  }
  std::size_t held() const { return plain_.view().size + pooled_.view().size; }

 private:
  HostBuffer plain_;
  PmrBuffer pooled_;  // one of the two is empty
};

namespace detail {

// A queue's own scratch in the terms of the space that it stands in for: pinned memory is the host's, once it is lent.
template <MemorySpace To, MemorySpace From>
ByteSpan<To> seen_in(ByteSpan<From> scratch) {
  static_assert(std::same_as<To, From> || (From::host_accessible && From::device_accessible));
  return {scratch.data, scratch.size};
}

}  // namespace detail
}}  // namespace tessera::v0
