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

namespace tessera::inline v0 {

/// `crossing<To, From>::copy(from, to, on)` copies bytes of equal size in the queue's order and waits for nothing: who
/// asks for it calls `arrive` after the last copy. A pair without a crossing does not cross. Those that touch the
/// device are in cast/host_device.cuh.
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

/// The queue that a crossing needs: a device queue where one of the two sides needs it.
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

/// After this, bytes that crossed from From to To may be used: the host's must have arrived, those of other spaces are
/// used in the queue's order.
template <MemorySpace To, MemorySpace From>
void arrive(crossing_queue<To, From>& on) {
  if constexpr (std::same_as<To, space::Host> && !std::same_as<From, space::Host>) on.wait();
}

/// A new buffer of type To with the bytes of `from`. If it is of that type already, it is moved, not copied.
template <AllocatableBuffer To, Buffer From>
To cast(From from, crossing_queue<typename To::space_type, typename From::space_type>& on) {
  if constexpr (std::same_as<To, From>) {
    return from;
  } else {
    using target = typename To::space_type;
    using source = typename From::space_type;
    constexpr bool crosses = CrossesFrom<target, source>;
    static_assert(crosses,
                  "tessera: there is no crossing between these two memory spaces; include "
                  "tessera/cast/host_device.cuh, or cast to host memory first");
    auto const view = from.view();
    To result(view.size, queue_in<target>(on));
    if constexpr (crosses) crossing<target, source>::copy(view, result.span(), on);
    on.keep(std::move(from));
    arrive<target, source>(on);
    return result;
  }
}

/// A stage of a pipeline: encoded chunks cross from the space of the stage before it to To.
template <MemorySpace To>
struct CastTo {};

}  // namespace tessera::inline v0
