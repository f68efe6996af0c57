// Where bytes are, as a type.
#pragma once
#include <concepts>
#include <type_traits>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

namespace space {
struct Host {
  static constexpr bool host_accessible = true, device_accessible = false;
};
struct Pinned {
  static constexpr bool host_accessible = true, device_accessible = true;
};
struct Managed {
  static constexpr bool host_accessible = true, device_accessible = true;
};
struct Device {
  static constexpr bool host_accessible = false, device_accessible = true;
};
}  // namespace space

template <class S>
concept MemorySpace = std::is_empty_v<S> && requires {
  bool{S::host_accessible};
  bool{S::device_accessible};
};

/// What orders work. A Queue<space::Host> runs functions on the host; a Queue<space::Device> (queue.cuh) is a stream.
/// Memory of space::Host is the host's: what a call writes there is there when the call returns. Memory of any other
/// space is used in the order of a device queue, so a host function that touches it waits for the queue first.
template <MemorySpace S>
class Queue;

/// A place in a queue's work, made by `record()`. `after(event)` of any queue lets its later work begin only when
/// everything before that place is done.
template <MemorySpace S>
class Event;

/// There are two kinds of queue only: pinned and managed memory are worked on in the order of a device queue.
template <MemorySpace S>
using queue_for = Queue<std::conditional_t<std::same_as<S, space::Host>, space::Host, space::Device>>;

}}  // namespace tessera::v0
