// place_padding: fills boxes where they reach beyond the array with one value.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/array/detail/boxes_in_chunks.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/transfer/detail/part_placer.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Calls f(first, count) for parts of a box, in its own indices, that cover what lies beyond the array: along each
/// dimension those ahead of the array and behind it, of the indices that are in the array along the dimensions before.
template <class F>
void for_each_part_beyond(BoxesInChunks const& boxes, std::size_t box, F&& f) {
  Extents first, count;
  for (std::size_t d = 0; d < boxes.rank(); ++d) {
    first.push_back(0);
    count.push_back(boxes.steps(box, d).count);
  }
  for (std::size_t d = 0; d < boxes.rank(); ++d) {
    auto const inside = boxes.axis(d).inside(boxes.steps(box, d));
    auto const all = count[d], behind = inside.target + inside.count;
    auto const part = [&](std::uint64_t begin, std::uint64_t end) {
      if (begin == end) return;
      first[d] = begin;
      count[d] = end - begin;
      f(first, count);
    };
    part(0, inside.target);
    part(behind, all);
    first[d] = inside.target;
    count[d] = inside.count;
  }
}

/// Fills those elements of the boxes that are padding, in the order of the queue; the host does not wait. `to`: memory
/// of the shape of all boxes. `value`: one element of the array. `other`: what places elements, if that is not a copy.
/// Requires: the mode is `constant`.
template <MemorySpace S>
void place_padding(BoxesInChunks const& boxes, StridedSpan<S> const& to, ByteView<space::Host> value, queue_for<S>& on,
                   AnyPlacer<S> const* other = nullptr) {
  struct Kept {
    std::vector<Placement<S>> placements{};
    std::uint64_t held() const { return placements.capacity() * sizeof(Placement<S>); }
  };
  PlacerOrUsual<S> const placing{other};
  PlacementForm form{placing.placed_size(value.size), 1, placing.placed_fill(value), {}, {}};
  for (std::size_t d = 1; d < to.strides.rank(); ++d) form.to_strides.push_back(to.strides[d]);
  form.from_strides = form.to_strides;
  auto const fill = [&](std::size_t begin, std::size_t end) {
    auto const kept = on.host().template lease<Kept>();
    auto& placements = kept->placements;
    placements.clear();
    for (auto i = begin; i < end; ++i)
      for_each_part_beyond(boxes, i, [&](Extents const& first, Extents const& count) {
        if (std::ranges::find(count, std::uint64_t{0}) != count.end()) return;
        auto* const box = to.data + static_cast<std::int64_t>(i) * to.strides[0];
        placements.push_back({nullptr, address(box, first, form.to_strides), count});
        if (placements.size() < PartPlacer<S>::most) return;
        placing.place(placements, form, on);
        placements.clear();
      });
    if (!placements.empty()) placing.place(placements, form, on);
  };
  auto const n = static_cast<std::size_t>(boxes.shape_of_all()[0]);
  if constexpr (std::same_as<S, space::Host>)
    on.for_each(n, [&](std::size_t i) { fill(i, i + 1); });
  else
    fill(0, n);
}

}}}  // namespace tessera::v0::detail
