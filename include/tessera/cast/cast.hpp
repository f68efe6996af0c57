// copy_to, CastTo and crossing: bytes are copied to another memory space only by a crossing, which copy_to<To>(buffer,
// on), CastTo<Space> (a pipeline stage) and CastStore (a store) use.
#pragma once
#include <cstddef>
#include <cstring>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

/// `crossing<To, From>::copy(from, to, on)` copies bytes of equal size in the queue's order, without waiting; the
/// caller calls `arrive` after the last copy. Spaces without a crossing cannot exchange bytes. Crossings that involve a
/// device are in tessera.cuh.
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

/// The queue for a crossing: a device queue, if one of the spaces needs it.
template <MemorySpace A, MemorySpace B>
using crossing_queue = typename detail::which_queue<A, B>::type;

/// That queue, from a queue of either kind: `on` itself, or its host queue.
template <MemorySpace A, MemorySpace B, class AnyQueue>
crossing_queue<A, B>& queue_between(AnyQueue& on) {
  if constexpr (std::same_as<crossing_queue<A, B>, Queue<space::Host>>)
    return on.host();
  else
    return on;
}

/// Whether bytes can cross from From to To: the header that defines their crossing is included.
template <class To, class From>
concept CrossesFrom = MemorySpace<To> && MemorySpace<From> &&
    requires(ByteView<From> from, ByteSpan<To> to, crossing_queue<To, From>& on) {
  crossing<To, From>::copy(from, to, on);
};

/// `crossing<To, From>::copy_ahead(from, to, on)` copies host bytes before earlier work of the queue. Requires: that
/// work uses no memory of `to`. Later work of the queue comes after the copy.
template <class To, class From>
concept CrossesAhead = std::same_as<From, space::Host> && CrossesFrom<To, From> &&
    requires(ByteView<From> from, ByteSpan<To> to, crossing_queue<To, From>& on) {
  crossing<To, From>::copy_ahead(from, to, on);
};

/// The space for bytes of space From that will cross to To. It is host memory if From is.
template <MemorySpace To, MemorySpace From>
struct staging {
  using type = From;
};
/// That space.
template <MemorySpace To, MemorySpace From>
using staging_t = typename staging<To, From>::type;

/// Call before you use bytes that crossed from From to To. Waits if they crossed to host memory; bytes in other spaces
/// are used in the queue's order.
template <MemorySpace To, MemorySpace From>
void arrive(crossing_queue<To, From>& on) {
  if constexpr (std::same_as<To, space::Host> && !std::same_as<From, space::Host>) on.wait();
}

/// Whether view_in can view bytes of From in To: the same space, or host or device memory if both can access From.
template <class To, class From>
inline constexpr bool is_seen_in = std::same_as<To, From> ||
                                   (From::host_accessible && From::device_accessible &&
                                    (std::same_as<To, space::Host> || std::same_as<To, space::Device>));

/// The same bytes in another space, without a copy: pinned and managed memory can be used on the host, after a wait for
/// the queue, or on the device, in the queue's order. `from` still owns the bytes.
template <MemorySpace To, MemorySpace From>
ByteView<To> view_in(ByteView<From> from, queue_for<From>& on) {
  static_assert(is_seen_in<To, From>,
                "tessera: bytes in one of these memory spaces cannot be viewed in the other: copy them with "
                "copy_to<HostBuffer>(buffer, queue) or copy_to<DeviceBuffer>(buffer, queue)");
  if constexpr (std::same_as<To, space::Host> && !std::same_as<From, space::Host>) on.wait();
  return {from.data, from.size};
}

namespace detail {

// Checked before buffers of one space are made from those of another.
template <class To, class From>
consteval bool check_crossing() {
  constexpr bool crosses = CrossesFrom<To, From>;
  static_assert(crosses,
                "tessera: found no crossing between these two memory spaces: include <tessera/tessera.cuh>, or copy to "
                "host memory first");
  return crosses;
}
template <class B>
consteval bool check_made() {
  constexpr bool is_made = AllocatableBuffer<B>;
  static_assert(is_made,
                "tessera: this type is not a buffer that owns its memory: copy to one that does, e.g. "
                "HostBuffer, PinnedBuffer, ManagedBuffer, DeviceBuffer");
  return is_made;
}

}  // namespace detail

/// A new buffer of type To with the bytes of `from`. A buffer that already has that type is moved, not copied.
template <Buffer To, Buffer From>
To copy_to(From from, crossing_queue<typename To::space_type, typename From::space_type>& on) {
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
/// Not callable: its compile error says to which types bytes can be copied.
template <class To, class From, class AnyQueue>
requires(!Buffer<To>) void copy_to(From&&, AnyQueue&) { (void)detail::check_made<To>(); }

template <class To, class From, class AnyQueue>
[[deprecated("tessera: cast<B>(buffer, queue) was renamed copy_to<B>(buffer, queue)")]] auto cast(From&& from,
                                                                                                  AnyQueue& on) {
  return copy_to<To>(std::forward<From>(from), on);
}

/// A pipeline stage: encoded chunks cross to To from the space of the previous stage.
template <class To>
struct CastTo {};

}}  // namespace tessera::v0
