// place_padding: fills boxes where they reach beyond the array with one value.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tessera/array/detail/box_targets.hpp>
#include <tessera/array/detail/boxes_in_chunks.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/place/detail/convert.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/place/detail/placer_by_index.hpp>
#include <tessera/transfer/detail/part_placer.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Calls f(first, count) for parts of a box, in the indices of its memory, that cover what lies beyond the array: along
/// each dimension those ahead of the array and behind it, of the indices that are in the array along the dimensions
/// before.
template <class F>
void for_each_part_beyond(BoxesInChunks const& boxes, std::size_t box, F&& f) {
  auto first = Extents::filled(boxes.rank(), 0), count = boxes.shape_of(box);
  for (std::size_t d = 0; d < boxes.rank(); ++d) {
    auto const inside = boxes.axis(d).inside(boxes.steps(box, d));
    auto const there = boxes.turns().in_memory(box, d);
    auto const all = count[there];
    auto const choose = [&](std::uint64_t begin, std::uint64_t end) {
      first[there] = boxes.first_in_memory(box, d, begin, end - begin);
      count[there] = end - begin;
    };
    for (auto const& [begin, end] : {std::pair{std::uint64_t{0}, inside.target}, {inside.target + inside.count, all}}) {
      if (begin == end) continue;
      choose(begin, end);
      f(first, count);
    }
    choose(inside.target, inside.target + inside.count);
  }
}

/// Throws: SelectionError, if a box reaches beyond the array along that dimension.
inline void expect_no_padding_along(BoxesInChunks const& boxes, std::size_t d) {
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (auto const steps = boxes.steps(i, d); boxes.axis(d).inside(steps).count != steps.count)
      throw SelectionError{to_text({"box ", i, " of the padded array: dimension ", d,
                                    ": found elements beyond the array, whose indices have no scale"})};
}

/// Fills those elements of the boxes that are padding, in the order of the queue; the host does not wait. `to`: the
/// boxes' memory. `value`: one element of the array. `other`: what places elements, if that is not a copy.
/// Requires: the mode is `constant`.
template <MemorySpace S>
void place_padding(BoxesInChunks const& boxes, BoxTargets<S> const& to, ByteView<space::Host> value, queue_for<S>& on,
                   AnyPlacer<S> const* other = nullptr) {
  struct Kept {
    std::vector<Placement<S>> placements{};
    std::uint64_t held() const { return placements.capacity() * sizeof(Placement<S>); }
  };
  PlacerOrUsual<S> placing{other};
  PlacementForm usual{placing.placed_size(value.size), 1, placing.placed_fill(value), {}, {}};
  auto const* const by_index = other ? other->by_index() : nullptr;
  if (by_index) expect_no_padding_along(boxes, by_index->dimension());
  std::uint64_t index = 0;  // whose parts are placed, if there are placers for each
  auto const fill = [&](std::size_t begin, std::size_t end) {
    auto const kept = on.host().template lease<Kept>();
    auto& placements = kept->placements;
    placements.clear();
    auto form = usual;
    auto const place = [&] {
      if (!placements.empty()) placing.place(placements, form, on);
      placements.clear();
    };
    auto const add = [&](std::size_t i, Extents const& first, Extents const& count) {
      placements.push_back({nullptr, address(to.data(i), first, form.to_strides), count});
      if (placements.size() == PartPlacer<S>::most) place();
    };
    for (auto i = begin; i < end; ++i) {
      if (auto const& strides = to.strides(i); form.to_strides != strides) {
        place();
        form.from_strides = form.to_strides = strides;
      }
      for_each_part_beyond(boxes, i, [&](Extents const& first, Extents const& count) {
        if (std::ranges::find(count, std::uint64_t{0}) != count.end()) return;
        if (!by_index) return add(i, first, count);
        auto const d = by_index->dimension(), there = boxes.turns().in_memory(i, d);
        auto only = first, one = count;
        one[there] = 1;
        for (; only[there] < first[there] + count[there]; ++only[there])
          if (boxes.element_along(i, d, only[there]) == index) add(i, only, one);
      });
    }
    place();
  };
  auto const n = boxes.size();
  auto const fill_all = [&] {
    if constexpr (std::same_as<S, space::Host>)
      on.for_each(n, [&](std::size_t i) { fill(i, i + 1); });
    else
      fill(0, n);
  };
  if (!by_index) return fill_all();
  for (; index < by_index->size(); ++index) {
    placing.other = &by_index->of(index);
    usual.fill = by_index->of(index).made_fill();
    fill_all();
  }
}

}}}  // namespace tessera::v0::detail
