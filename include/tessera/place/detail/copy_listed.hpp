// copy_listed: places elements of lists in host memory, with a tight loop for each element size.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/config.hpp>
#include <tessera/place/detail/copy_tiles.hpp>
#include <tessera/place/detail/listed.hpp>
#include <tessera/place/detail/placement.hpp>

namespace tessera { inline namespace v0 { namespace detail {

using CopyPairs = void (*)(std::byte* to, std::byte const* from, std::span<OffsetPair const> pairs,
                           PlacementForm const& form);

template <class Word, std::size_t Words, bool Swap>
void copy_pairs(std::byte* to, std::byte const* from, std::span<OffsetPair const> pairs, PlacementForm const&) {
  for (auto const& pair : pairs) copy_element<Word, Words, Swap>(to + pair.to, from + pair.from);
}

template <class Word, std::size_t Words = 1>
CopyPairs pair_copier(bool swaps) {
  return swaps ? copy_pairs<Word, Words, true> : copy_pairs<Word, Words, false>;
}
TESSERA_DECL CopyPairs pair_copier(PlacementForm const& form);

/// Calls f(to, from, pairs) for each index along all axes of a box but the last; `first`: its first element.
template <MemorySpace S, class F>
void for_each_row(ListedBatch<S> const& batch, ListedBox<S> const& box, std::byte const* first, F&& f) {
  static constexpr OffsetPair here{0, 0};
  auto const row = [&]() -> std::span<OffsetPair const> {
    if (box.axes == 0) return {&here, 1};
    auto const& last = batch.axes[box.first_axis + box.axes - 1];
    return std::span{batch.pairs}.subspan(last.first_pair, static_cast<std::size_t>(last.count));
  }();
  auto const walk = [&](auto const& self, std::size_t a, std::byte* to, std::byte const* from) -> void {
    if (a + 1 >= box.axes) return f(to, from, row);
    auto const& axis = batch.axes[box.first_axis + a];
    for (std::uint64_t i = 0; i < axis.count; ++i) {
      if (axis.is_list) {
        auto const& pair = batch.pairs[axis.first_pair + static_cast<std::size_t>(i)];
        self(self, a + 1, to + pair.to, from + pair.from);
      } else {
        auto const n = static_cast<std::int64_t>(i);
        self(self, a + 1, to + n * axis.step.to, from + n * axis.step.from);
      }
    }
  };
  walk(walk, 0, box.to, first);
}

/// As placer<space::Host>::place_listed.
template <MemorySpace S>
std::uint64_t copy_listed(ListedBatch<S> const& batch, PlacementForm const& form) {
  PlacementForm const filled{form.item_size, 1, {}, {}, {}};
  auto const copy = pair_copier(form), fill = pair_copier(filled);
  std::uint64_t moved = 0;
  for (auto const& box : batch.boxes) {
    auto const& way = box.from ? form : filled;
    auto const one = box.from ? copy : fill;
    auto const* const first = box.from ? box.from : form.fill.data;
    for_each_row(batch, box, first, [&](std::byte* to, std::byte const* from, std::span<OffsetPair const> pairs) {
      one(to, from, pairs, way);
      moved += pairs.size() * form.item_size;
    });
  }
  return moved;
}

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/place/detail/copy_listed.ipp>
#endif
