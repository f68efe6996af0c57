// Borrowed bytes that know their space: small aggregates, passed by value. And Destination: where bytes go.
#pragma once
#include <concepts>
#include <cstddef>
#include <functional>

#include <tessera/core/function_ref.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// Bytes never turn into those of another space. Where such are asked for, the compiler finds this: no conversion, but
// the line that says what to write.
template <class To>
consteval void refuse_bytes() {
  static_assert(sizeof(To) == 0,
                "tessera: these bytes are in another memory space than those asked for here: copy them, "
                "cast<DeviceBuffer>(buffer, queue) or cast<HostBuffer>(buffer, queue); pinned and managed ones can be "
                "seen in another, view_in<space::Device>(view, queue)");
}

}  // namespace detail

template <MemorySpace S>
struct ByteView {
  using space_type = S;
  std::byte const* data = nullptr;
  std::size_t size = 0;

  constexpr ByteView sub(std::size_t offset, std::size_t count) const { return {data + offset, count}; }

  template <MemorySpace Other>
  requires(!std::same_as<Other, S>) constexpr operator ByteView<Other>() const {
    detail::refuse_bytes<Other>();
    return {};
  }
};

template <MemorySpace S>
struct ByteSpan {
  using space_type = S;
  std::byte* data = nullptr;
  std::size_t size = 0;

  constexpr ByteSpan sub(std::size_t offset, std::size_t count) const { return {data + offset, count}; }
  constexpr operator ByteView<S>() const { return {data, size}; }

  template <MemorySpace Other>
  requires(!std::same_as<Other, S>) constexpr operator ByteView<Other>() const {
    detail::refuse_bytes<Other>();
    return {};
  }
  template <MemorySpace Other>
  requires(!std::same_as<Other, S>) constexpr operator ByteSpan<Other>() const {
    detail::refuse_bytes<Other>();
    return {};
  }
};

/// Whether all of `part` lies in `whole`. An empty part lies in nothing.
template <MemorySpace S>
constexpr bool lies_in(ByteView<S> part, ByteView<S> whole) {
  std::less_equal<std::byte const*> const no_later;
  return whole.data && no_later(whole.data, part.data) && no_later(part.data + part.size, whole.data + whole.size);
}

/// Where n bytes go: asked once, when the size is known. It answers with the caller's memory, a new buffer or reused
/// scratch. It refers to a callable that returns a ByteSpan<S> of n bytes or throws.
template <MemorySpace S>
using Destination = FunctionRef<ByteSpan<S>(std::size_t)>;
/// The old name of Destination.
template <MemorySpace S>
using Room [[deprecated("Room is called Destination")]] = Destination<S>;

}}  // namespace tessera::v0
