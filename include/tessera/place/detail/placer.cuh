// placer for a device queue: kernels place elements in device memory, the host in memory that it can access.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/memory/queue.cuh>
#include <tessera/place/detail/placer.hpp>
#include <tessera/place/detail/placing.cuh>
#include <tessera/place/detail/placing_listed.cuh>

namespace tessera { inline namespace v0 {

/// One launch per batch, and a copy of a table that does not fit among the kernel's arguments (above about 100 boxes);
/// nothing waits. (A template: kernels are compiled where they are used.)
template <MemorySpace S>
requires std::same_as<S, space::Device>
struct placer<S> {
  /// Throws: DeviceError; Error, if boxes have more than eight dimensions that cannot be joined.
  static std::uint64_t place(std::span<Placement<S> const> batch, PlacementForm const& form, Queue<space::Device>& on) {
    if constexpr (detail::check_kernels<S>())
      return detail::place_by_kernels<S>(batch, form, on);
    else
      return 0;
  }
  /// As place; the table also holds the lists' offsets. Throws: DeviceError.
  static std::uint64_t place_listed(ListedBatch<S> const& batch, PlacementForm const& form, Queue<space::Device>& on) {
    if constexpr (detail::check_kernels<S>())
      return detail::place_listed_by_kernels<S>(batch, form, on);
    else
      return 0;
  }
  /// One launch; waits for it, by an event. Throws: DeviceError.
  static void find_filled(ByteView<S> chunks, std::size_t size, ByteView<space::Host> element,
                          std::span<std::uint8_t> filled, Queue<space::Device>& on) {
    if constexpr (detail::check_kernels<S>()) detail::find_filled_by_kernels<S>(chunks, size, element, filled, on);
  }
};

/// Waits for the queue.
template <MemorySpace S>
requires(S::host_accessible&& S::device_accessible) struct placer<S> {
  static std::uint64_t place(std::span<Placement<S> const> batch, PlacementForm const& form, Queue<space::Device>& on) {
    on.shared_stream()->template require<S>();
    on.wait();
    std::uint64_t moved = 0;
    for (auto const& [from, to, count] : batch) {
      Placement<space::Host> const same{from, to, count};
      moved += placer<space::Host>::place({&same, 1}, form, on.host());
    }
    return moved;
  }
  static std::uint64_t place_listed(ListedBatch<S> const& batch, PlacementForm const& form, Queue<space::Device>& on) {
    on.shared_stream()->template require<S>();
    on.wait();
    return detail::copy_listed(batch, form);
  }

  static void find_filled(ByteView<S> chunks, std::size_t size, ByteView<space::Host> element,
                          std::span<std::uint8_t> filled, Queue<space::Device>& on) {
    on.shared_stream()->template require<S>();
    on.wait();
    ByteView<space::Host> const same{chunks.data, chunks.size};  // named: nvcc 13 loses a braced list here
    placer<space::Host>::find_filled(same, size, element, filled, on.host());
  }
};

}}  // namespace tessera::v0
