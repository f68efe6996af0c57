// The only way bytes change space: a crossing per pair of spaces, and three places to write it: cast<To>(buffer, on),
// CastTo<Space> as a stage of a pipeline, CastStore as a store. Nothing else crosses.
#pragma once
#include <cstddef>
#include <cstring>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

/// `crossing<To, From>::copy(from, to, on)` copies bytes of equal size in the queue's order and waits for nothing; the
/// caller calls `arrive` after the last copy. A pair of spaces without a crossing does not cross. Crossings that touch
/// the device are in cast/host_device.cuh.
template <MemorySpace To, MemorySpace From>
struct crossing;

template <>
struct crossing<space::Host, space::Host> {
  static void copy(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) {
    if (from.size != 0) std::memcpy(to.data, from.data, from.size);
  }
};

namespace detail {
template <class A, class B>
struct which_queue {
  using type = queue_for<A>;
};
template <class B>
struct which_queue<space::Host, B> {
  using type = queue_for<B>;
};
}  // namespace detail

/// The queue that a crossing needs: a device queue, if one of the two sides needs it.
template <MemorySpace A, MemorySpace B>
using crossing_queue = typename detail::which_queue<A, B>::type;

template <MemorySpace A, MemorySpace B, class AnyQueue>
crossing_queue<A, B>& queue_between(AnyQueue& on) {
  if constexpr (std::same_as<crossing_queue<A, B>, Queue<space::Host>>)
    return on.host();
  else
    return on;
}

template <class To, class From>
concept CrossesFrom = MemorySpace<To> && MemorySpace<From> &&
    requires(ByteView<From> from, ByteSpan<To> to, crossing_queue<To, From>& on) {
  crossing<To, From>::copy(from, to, on);
};

/// `crossing<To, From>::copy_ahead(from, to, on)` copies the host's bytes before the work that the queue got earlier.
/// Requires: that work uses no memory of `to`. Later work of the queue comes after the copy.
template <class To, class From>
concept CrossesAhead = std::same_as<From, space::Host> && CrossesFrom<To, From> &&
    requires(ByteView<From> from, ByteSpan<To> to, crossing_queue<To, From>& on) {
  crossing<To, From>::copy_ahead(from, to, on);
};

/// The space to put bytes of space From into, if they are about to cross to To. It is host memory if From is.
template <MemorySpace To, MemorySpace From>
struct staging {
  using type = From;
};
template <MemorySpace To, MemorySpace From>
using staging_t = typename staging<To, From>::type;

/// Call it before you use bytes that crossed from From to To: it waits until the host's have arrived; those of other
/// spaces are used in the queue's order.
template <MemorySpace To, MemorySpace From>
void arrive(crossing_queue<To, From>& on) {
  if constexpr (std::same_as<To, space::Host> && !std::same_as<From, space::Host>) on.wait();
}

template <class To, class From>
inline constexpr bool is_seen_in = std::same_as<To, From> ||
                                   (From::host_accessible && From::device_accessible &&
                                    (std::same_as<To, space::Host> || std::same_as<To, space::Device>));

/// The same bytes as another space calls them, without a copy: pinned and managed memory is the host's, after a wait
/// for the queue, and the device's, in the queue's order. `from` owns the bytes and does not change.
template <MemorySpace To, MemorySpace From>
ByteView<To> view_in(ByteView<From> from, queue_for<From>& on) {
  static_assert(is_seen_in<To, From>,
                "tessera: bytes of one of these memory spaces cannot be seen in the other; copy them: "
                "cast<HostBuffer>(buffer, queue), cast<DeviceBuffer>(buffer, queue)");
  if constexpr (std::same_as<To, space::Host> && !std::same_as<From, space::Host>) on.wait();
  return {from.data, from.size};
}

namespace detail {

// What makes buffers of one space out of another's asks here first.
template <class To, class From>
consteval bool check_crossing() {
  constexpr bool crosses = CrossesFrom<To, From>;
  static_assert(crosses,
                "tessera: there is no crossing between these two memory spaces; include "
                "tessera/cast/host_device.cuh, or cast to host memory first");
  return crosses;
}
template <class B>
consteval bool check_made() {
  constexpr bool is_made = AllocatableBuffer<B>;
  static_assert(is_made,
                "tessera: this is no buffer that can be made: bytes are cast to a buffer with memory of its own, e.g. "
                "HostBuffer, PinnedBuffer, ManagedBuffer, DeviceBuffer");
  return is_made;
}

}  // namespace detail

/// A new buffer of type To with the bytes of `from`. A buffer that has that type already is moved, not copied.
template <Buffer To, Buffer From>
To cast(From from, crossing_queue<typename To::space_type, typename From::space_type>& on) {
  using target = typename To::space_type;
  using source = typename From::space_type;
  if constexpr (std::same_as<To, From>) {
    return from;
  } else if constexpr (!detail::check_made<To>() || !detail::check_crossing<target, source>()) {
    return {};
  } else {
    auto const view = from.view();
    To result(view.size, queue_in<target>(on));
    crossing<target, source>::copy(view, result.span(), on);
    on.keep(std::move(from));
    arrive<target, source>(on);
    return result;
  }
}
/// No other type can be cast to.
template <class To, class From, class AnyQueue>
requires(!Buffer<To>) void cast(From&&, AnyQueue&) { (void)detail::check_made<To>(); }

/// A stage of a pipeline: encoded chunks cross from the space of the stage before it to To.
template <class To>
struct CastTo {};

}}  // namespace tessera::v0
