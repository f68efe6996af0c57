// Placing in memory that the host can touch and a device queue orders: by the host, once the queue is done.
#pragma once
#include <concepts>
#include <cstdint>
#include <span>

#include <tessera/memory/queue.cuh>
#include <tessera/view/copy.hpp>

namespace tessera::inline v0 {

/// Waits for the queue.
template <MemorySpace S>
requires(S::host_accessible&& S::device_accessible) struct placer<S> {
  static std::uint64_t place(std::span<Placement<S> const> batch, ElementForm form, Queue<space::Device>& on) {
    on.wait();
    std::uint64_t moved = 0;
    for (auto const& [from, to, count, from_strides, to_strides] : batch) {
      Placement<space::Host> const same{from, to, count, from_strides, to_strides};
      moved += placer<space::Host>::place({&same, 1}, form, on.host());
    }
    return moved;
  }

  static bool is_filled(ByteView<S> bytes, ByteView<space::Host> element, Queue<space::Device>& on) {
    on.wait();
    ByteView<space::Host> const same{bytes.data, bytes.size};  // named: nvcc 13 loses a list in braces here
    return placer<space::Host>::is_filled(same, element, on.host());
  }
};

}  // namespace tessera::inline v0
