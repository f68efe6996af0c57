// Bytes that somebody owns. A buffer is move-only, and its space is in its type.
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

template <class B>
concept Buffer = detail::Complete<B> && std::movable<B> && MemorySpace<typename B::space_type> && requires(B const& b) {
  { b.view() } -> std::same_as<ByteView<typename B::space_type>>;
};

// Those of tessera/tessera.cuh: known without it, so as to say that it is missing.
class DeviceBuffer;
class ManagedBuffer;
class PinnedBuffer;

/// A buffer that can be made, with uninitialised bytes. A mapped file or an imported handle is only a Buffer.
template <class B>
concept AllocatableBuffer = Buffer<B> && requires(B& b, std::size_t n, queue_for<typename B::space_type>& on) {
  {B(n, on)};
  { b.span() } -> std::same_as<ByteSpan<typename B::space_type>>;
};

/// The buffer that tessera itself allocates in a space, for scratch; each space's own header defines it.
template <MemorySpace S>
struct buffer_in;
template <MemorySpace S>
using buffer_in_t = typename buffer_in<S>::type;

}}  // namespace tessera::v0
