// BoxPlacer: places the elements of each chunk into every box that wants them, as they are or converted.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/array/detail/boxes_in_chunks.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/place/detail/non_temporal.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/transfer/detail/part_placer.hpp>
#include <tessera/view/detail/strided_span.hpp>
#include <tessera/view/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Takes one placement for each chunk of BoxesInChunks, and makes one for each part of a box that wants elements of it.
template <MemorySpace S>
class BoxPlacer final : public AnyPlacer<S> {
  // A host queue keeps it for reuse: a call of the placer allocates nothing after the first ones.
  struct Kept {
    BoxRuns runs{};
    std::vector<Placement<S>> placements{}, alike{};
    std::vector<Strides> ways{};     // of the placements: elements from one to the next in the chunk
    std::vector<std::size_t> way{};  // of each placement
    std::uint64_t held() const {
      return runs.held() + (placements.capacity() + alike.capacity()) * sizeof(Placement<S>) +
             ways.capacity() * sizeof(Strides) + way.capacity() * sizeof(std::size_t);
    }
  };

 public:
  /// `data` and `strides`: the first element of the memory, and the distances in it, in bytes, the first of them from
  /// one box to the next. `bytes`: of all elements of the boxes. `part_placer`: what places the parts, such as a
  /// ConvertingPlacer; null: they are copied. Requires: `boxes` and `part_placer` outlive this.
  BoxPlacer(BoxesInChunks const& boxes, std::byte* data, Strides const& strides, std::uint64_t bytes,
            AnyPlacer<S> const* part_placer = nullptr)
      : boxes_{boxes}, data_{data}, between_{strides[0]}, is_large_{bytes >= beyond_caches}, part_placer_{part_placer} {
    for (std::size_t d = 1; d < strides.rank(); ++d) strides_.push_back(strides[d]);
  }

  std::uint64_t place(std::span<Placement<S> const> batch, PlacementForm const& form,
                      queue_for<S>& on) const override {
    auto const kept = on.host().template lease<Kept>();
    kept->placements.clear(), kept->ways.clear(), kept->way.clear();
    std::uint64_t moved = 0;
    for (auto const& one : batch) {
      auto const window = boxes_.window(static_cast<std::uint64_t>(one.to - data_));
      for (auto const i : boxes_.wanting(window.chunk)) {
        if (!boxes_.find_runs(i, window.first, one.count, kept->runs)) continue;  // of a chunk that comes in tiles
        kept->runs.for_each_part([&](Extents const& at) {
          if (kept->placements.size() == PartPlacer<S>::most) moved += place_kept(*kept, form, on);
          add(*kept, at, i, window, one, form);
        });
      }
    }
    return moved + place_kept(*kept, form, on);
  }

  /// Placements have elements of the array, which the placer of the parts may convert.
  ByteView<space::Host> placed_fill(ByteView<space::Host> of_array) const override {
    fill_ = part_placer_.placed_fill(of_array);
    return of_array;
  }

  /// Never called: listed chunks are boxes.
  std::uint64_t place_listed(ListedBatch<S> const&, PlacementForm const&, queue_for<S>&) const override { return 0; }

 private:
  // One part of a box.
  void add(Kept& kept, Extents const& at, std::size_t box, ChunkWindow const& window, Placement<S> const& chunk,
           PlacementForm const& form) const {
    Placement<S> part{chunk.from, data_ + static_cast<std::int64_t>(box) * between_ + window.byte, chunk.count};
    Strides way = strides_;
    for (std::size_t d = 0; d < way.rank(); ++d) {
      auto const& run = kept.runs.along(d)[at[d]];
      part.count[d] = run.count;
      part.to += static_cast<std::int64_t>(run.target) * strides_[d];
      if (part.from) part.from += static_cast<std::int64_t>(run.first - window.first[d]) * form.from_strides[d];
      way[d] = boxes_.stride(box, d, run);
    }
    kept.placements.push_back(part);
    // Often that of the placement before.
    auto const found = std::find(kept.ways.rbegin(), kept.ways.rend(), way);
    auto const last = kept.ways.rend();
    kept.way.push_back(found == last ? kept.ways.size() : static_cast<std::size_t>(last - found) - 1);
    if (found == last) kept.ways.push_back(way);
  }

  // A device launches one kernel for all parts that are taken in the same way.
  std::uint64_t place_kept(Kept& kept, PlacementForm const& form, queue_for<S>& on) const {
    auto of_way = form;
    of_way.to_strides = strides_;
    of_way.non_temporal = is_large_;
    of_way.item_size = part_placer_.placed_size(form.item_size);
    if (part_placer_.other) of_way.fill = fill_;
    std::uint64_t moved = 0;
    for (std::size_t i = 0; i < kept.ways.size(); ++i) {
      of_way.from_strides = form.from_strides;
      for (std::size_t d = 0; d < strides_.rank(); ++d) of_way.from_strides[d] *= kept.ways[i][d];
      auto const* placements = &kept.placements;
      if (kept.ways.size() > 1) {
        kept.alike.clear();
        for (std::size_t at = 0; at < kept.way.size(); ++at)
          if (kept.way[at] == i) kept.alike.push_back(kept.placements[at]);
        placements = &kept.alike;
      }
      moved += part_placer_.place(*placements, of_way, on);
    }
    kept.placements.clear(), kept.ways.clear(), kept.way.clear();
    return moved;
  }

  BoxesInChunks const& boxes_;
  std::byte* const data_;
  std::int64_t const between_;
  Strides strides_{};  // of one box
  bool const is_large_;
  PlacerOrUsual<S> const part_placer_;
  ByteView<space::Host> mutable fill_{};  // set before any placing
};

}}}  // namespace tessera::v0::detail
