// Borrowed bytes that know their space: small aggregates, passed by value. And Room: where bytes shall go.
#pragma once
#include <cstddef>

#include <tessera/core/function_ref.hpp>
#include <tessera/memory/space.hpp>

namespace tessera::inline v0 {

template <MemorySpace S>
struct ByteView {
  using space_type = S;
  std::byte const* data = nullptr;
  std::size_t size = 0;

  constexpr ByteView sub(std::size_t offset, std::size_t count) const { return {data + offset, count}; }
};

template <MemorySpace S>
struct ByteSpan {
  using space_type = S;
  std::byte* data = nullptr;
  std::size_t size = 0;

  constexpr ByteSpan sub(std::size_t offset, std::size_t count) const { return {data + offset, count}; }
  constexpr operator ByteView<S>() const { return {data, size}; }
};

/// Where n bytes shall go, asked once, when the size is known: the caller's memory, a new buffer, reused scratch. A
/// reference to a callable that returns a ByteSpan<S> of n bytes or throws.
template <MemorySpace S>
using Room = FunctionRef<ByteSpan<S>(std::size_t)>;

}  // namespace tessera::inline v0
