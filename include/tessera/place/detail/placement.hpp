// Placement, PlacementForm and placer: boxes of elements to copy or fill, and the interface that does it.
#pragma once
#include <concepts>
#include <cstddef>
#include <span>

#include <tessera/core/data_type.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

/// One box of elements to copy, in memory of space S on both sides. Without a source the box is filled.
template <MemorySpace S>
struct Placement {
  std::byte const* from;
  std::byte* to;
  Extents count;
};

/// The properties that all placements of a batch share. Strides are in bytes and may be negative; the stride of an axis
/// along which a placement has one element is ignored.
struct PlacementForm {
  std::size_t item_size = 1;     ///< bytes
  std::size_t swapped = 1;       ///< bytes reversed together on the way; 1: none
  ByteView<space::Host> fill{};  ///< one element, as stored in the destination
  Strides from_strides{}, to_strides{};
  bool non_temporal = false;  ///< the data exceeds the caches, so bypass them
  std::span<ComponentRun const> runs{};  ///< Layout::runs: PlacedRuns makes a batch of each
};

/// Moves elements in memory of space S, in the queue's order. `place(batch, form, on)` copies or fills every box and
/// returns the bytes moved; `place_listed(batch, form, on)` does so for a ListedBatch, whose offsets replace the form's
/// strides. `find_filled(chunks, size, element, filled, on)` sets filled[i] to whether chunk i, of `size` bytes from
/// chunks.data + i * size on, repeats that element, bit for bit; waits for it.
template <MemorySpace S>
struct placer;

namespace detail {

template <MemorySpace S>
consteval bool check_placer() {
  constexpr bool places = std::same_as<S, space::Host> || requires { sizeof(placer<S>); };
  static_assert(places, "tessera: placing elements in this memory space needs <tessera/tessera.cuh>");
  return places;
}

}  // namespace detail
}}  // namespace tessera::v0
