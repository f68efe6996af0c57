// Buffer: owned bytes. A buffer is move-only, and its memory space is part of its type.
#pragma once
#include <concepts>
#include <cstddef>

#include <tessera/memory/bytes.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

namespace detail {
template <class T>
concept Complete = requires {
  sizeof(T);
};
}  // namespace detail

/// Owns bytes in the memory space `space_type`; `view()` borrows them.
template <class B>
concept Buffer = detail::Complete<B> && std::movable<B> && MemorySpace<typename B::space_type> && requires(B const& b) {
  { b.view() } -> std::same_as<ByteView<typename B::space_type>>;
};

// The buffers of tessera/tessera.cuh, declared here so that errors can say that it is missing.
class DeviceBuffer;
class ManagedBuffer;
class PinnedBuffer;

/// A buffer that can be made with a size; its bytes are uninitialised. A mapped file or an imported handle is only a
/// Buffer.
template <class B>
concept AllocatableBuffer = Buffer<B> && requires(B& b, std::size_t n, queue_for<typename B::space_type>& on) {
  {B(n, on)};
  { b.span() } -> std::same_as<ByteSpan<typename B::space_type>>;
};

/// The buffer that tessera allocates in a space, for scratch; each space's header defines it.
template <MemorySpace S>
struct buffer_in;
/// That buffer type.
template <MemorySpace S>
using buffer_in_t = typename buffer_in<S>::type;

}}  // namespace tessera::v0
