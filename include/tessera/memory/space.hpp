// Memory spaces: where bytes are, as a type.
#pragma once
#include <concepts>
#include <type_traits>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

namespace space {
/// Ordinary host memory. Devices cannot access it: `host_accessible`, but not `device_accessible`.
struct Host {
  static constexpr bool host_accessible = true, device_accessible = false;
};
/// Page-locked host memory, which devices can access: `host_accessible` and `device_accessible`.
struct Pinned {
  static constexpr bool host_accessible = true, device_accessible = true;
};
/// Memory that host and device access at one address: `host_accessible`, `device_accessible`. The driver moves its
/// pages.
struct Managed {
  static constexpr bool host_accessible = true, device_accessible = true;
};
/// Device memory. The host cannot access it: `device_accessible`, but not `host_accessible`.
struct Device {
  static constexpr bool host_accessible = false, device_accessible = true;
};
}  // namespace space

/// An empty type that says whether the host, and whether devices, can access its memory.
template <class S>
concept MemorySpace = std::is_empty_v<S> && requires {
  bool{S::host_accessible};
  bool{S::device_accessible};
};

/// Orders work. A Queue<space::Host> runs functions on the host; a Queue<space::Device> (queue.cuh) is a stream. Bytes
/// that a call writes to space::Host are there when the call returns. Memory of any other space is used in the order of
/// a device queue, so the host must wait for the queue before it accesses that memory.
template <MemorySpace S>
class Queue;

/// A place in a queue's work, made by `record()`. After `after(event)`, later work of that queue begins only when all
/// work before the place is done.
template <MemorySpace S>
class Event;

/// Only two kinds of queue exist: a device queue orders the use of pinned and managed memory.
template <MemorySpace S>
using queue_for = Queue<std::conditional_t<std::same_as<S, space::Host>, space::Host, space::Device>>;

}}  // namespace tessera::v0
