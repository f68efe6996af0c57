// What placing is asked for: boxes of elements, from where and to where.
#pragma once
#include <concepts>
#include <cstddef>
#include <span>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/field.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

/// One box of elements to be copied, memory of space S on both sides. Without a source the box is filled.
template <MemorySpace S>
struct Placement {
  std::byte const* from;
  std::byte* to;
  Extents count;
};

/// What all placements of a batch have in common. Strides are in bytes and may be negative; along an axis of which a
/// placement has one element, they mean nothing to it.
struct PlacementForm {
  std::size_t item_size = 1;     ///< bytes
  std::size_t swapped = 1;       ///< bytes reversed together on the way; 1: none
  ByteView<space::Host> fill{};  ///< one element, as it shall stand in the destination
  Strides from_strides{}, to_strides{};
  bool non_temporal = false;  ///< all that is placed is more than caches hold: nobody wants it there
  std::span<ComponentRun const> runs{};  ///< Layout::runs: place_runs makes a batch of each
};

/// What moves elements in memory of space S, in the queue's order. `place(batch, form, on)` copies or fills every box
/// and returns how many bytes that moves; `place_listed(batch, form, on)` so too those of a ListedBatch, whose own
/// offsets stand for the form's strides. `find_filled(chunks, size, element, filled, on)` sets filled[i] to whether
/// chunk i, which has `size` bytes from chunks.data + i * size on, is that element again and again, bit for bit; waits
/// for it.
template <MemorySpace S>
struct placer;

namespace detail {

/// Memory that says who moves its elements, with a member `placer`: they are others there than in chunks.
template <class Memory>
concept HasPlacer = requires(Memory const& memory) {
  { memory.placer.item_size } -> std::convertible_to<std::size_t>;
};
/// That, or what moves all others.
template <MemorySpace S, class Memory>
auto placer_of(Memory const& memory) {
  if constexpr (HasPlacer<Memory>)
    return memory.placer;
  else
    return placer<S>{};
}

template <MemorySpace S>
consteval bool check_placer() {
  constexpr bool places = requires { sizeof(placer<S>); };
  static_assert(places, "tessera: what places elements in this memory space is not there: include tessera/tessera.cuh");
  return places;
}

}  // namespace detail
}}  // namespace tessera::v0
