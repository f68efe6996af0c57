// ByteView and ByteSpan: borrowed bytes with their memory space, passed by value. Destination: where a read puts bytes.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// Bytes never convert to another space. This conversion exists only so that its error says what to write instead.
template <class To>
consteval void refuse_bytes() {
  static_assert(
      sizeof(To) == 0,
      "tessera: these bytes are in a different memory space from the one expected here: copy them with "
      "copy_to<DeviceBuffer>(buffer, queue) or copy_to<HostBuffer>(buffer, queue); view pinned or managed bytes in "
      "another space with view_in<space::Device>(view, queue)");
}

}  // namespace detail

/// Borrowed bytes in space S, to be read. Requires: their owner outlives the view.
template <MemorySpace S>
struct ByteView {
  using space_type = S;
  std::byte const* data = nullptr;  ///< an address in space S
  std::size_t size = 0;             ///< bytes

  /// A part: `count` bytes from `offset` on. Requires: they are in this view.
  constexpr ByteView sub(std::size_t offset, std::size_t count) const { return {data + offset, count}; }

  /// Gives a compile error, which says how bytes change their space.
  template <MemorySpace Other>
  requires(!std::same_as<Other, S>) constexpr operator ByteView<Other>() const {
    detail::refuse_bytes<Other>();
    return {};
  }
};

/// Borrowed bytes in space S, to be written. Requires: their owner outlives the span.
template <MemorySpace S>
struct ByteSpan {
  using space_type = S;
  std::byte* data = nullptr;  ///< an address in space S
  std::size_t size = 0;       ///< bytes

  /// A part: `count` bytes from `offset` on. Requires: they are in this span.
  constexpr ByteSpan sub(std::size_t offset, std::size_t count) const { return {data + offset, count}; }
  constexpr operator ByteView<S>() const { return {data, size}; }  ///< the same bytes, to be read

  /// These give a compile error, which says how bytes change their space.
  template <MemorySpace Other>
  requires(!std::same_as<Other, S>) constexpr operator ByteView<Other>() const {
    detail::refuse_bytes<Other>();
    return {};
  }
  /// As above.
  template <MemorySpace Other>
  requires(!std::same_as<Other, S>) constexpr operator ByteSpan<Other>() const {
    detail::refuse_bytes<Other>();
    return {};
  }
};

/// Whether all of `part` lies in `whole`. False for an empty part.
template <MemorySpace S>
constexpr bool lies_in(ByteView<S> part, ByteView<S> whole) {
  std::less_equal<std::byte const*> const no_later;
  return whole.data && no_later(whole.data, part.data) && no_later(part.data + part.size, whole.data + whole.size);
}

/// Limits of a read, known before the size of the value.
struct ReadLimits {
  /// The most bytes that the reader accepts: its destination throws for more. A store that does not know the size in
  /// advance buffers no more.
  std::uint64_t most = ~std::uint64_t{0};
  Stop stop = nullptr;  ///< a store that waits checks it, and throws Cancelled
};

/// Supplies memory for n bytes; called once, when the size is known. It refers to a callable that returns a ByteSpan<S>
/// of n bytes (the caller's memory, a new buffer or reused scratch) or throws. A store that reads through another store
/// into its own destination passes on the limits.
template <MemorySpace S>
class Destination {
  using Give = FunctionRef<ByteSpan<S>(std::size_t)>;

 public:
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, Destination> && std::is_invocable_r_v<ByteSpan<S>, F&, std::size_t>)
      Destination(F&& f, ReadLimits limits = {})
  noexcept : give_{f}, limits_{limits} {}

  /// Memory for n bytes. Throws: exceptions of the function.
  ByteSpan<S> operator()(std::size_t n) const { return give_(n); }
  ReadLimits const& limits() const { return limits_; }

 private:
  Give give_;
  ReadLimits limits_;
};
/// The former name of Destination.
template <MemorySpace S>
using Room [[deprecated("Room was renamed Destination")]] = Destination<S>;

}}  // namespace tessera::v0
