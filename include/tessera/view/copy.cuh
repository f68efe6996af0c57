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
  static std::uint64_t place(std::span<Placement<S> const> batch, PlacementForm const& form,
                             Queue<space::Device>& on) {
    on.wait();
    std::uint64_t moved = 0;
    for (auto const& [from, to, count] : batch) {
      Placement<space::Host> const same{from, to, count};
      moved += placer<space::Host>::place({&same, 1}, form, on.host());
    }
    return moved;
  }

  static void find_filled(ByteView<S> chunks, std::size_t size, ByteView<space::Host> element,
                          std::span<std::uint8_t> filled, Queue<space::Device>& on) {
    on.wait();
    ByteView<space::Host> const same{chunks.data, chunks.size};  // named: nvcc 13 loses a list in braces here
    placer<space::Host>::find_filled(same, size, element, filled, on.host());
  }
};

}  // namespace tessera::inline v0
