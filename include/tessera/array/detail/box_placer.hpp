// BoxPlacer: places the elements of each chunk into every box that wants them, as they are or converted.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/array/detail/box_targets.hpp>
#include <tessera/array/detail/boxes_in_chunks.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/place/detail/convert.hpp>
#include <tessera/place/detail/non_temporal.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/place/detail/placer_by_index.hpp>
#include <tessera/transfer/detail/part_placer.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Takes one placement for each chunk of BoxesInChunks, and makes one for each part of a box that wants elements of it.
template <MemorySpace S>
class BoxPlacer final : public AnyPlacer<S> {
  // Strides in bytes, along the dimensions of the memory: from one element of the chunk to the next, and in the memory.
  struct Way {
    Strides from;
    Strides to;
    std::uint64_t index;  // of a PlacerByIndex
    friend bool operator==(Way const&, Way const&) = default;
  };
  // A host queue keeps it for reuse: a call of the placer allocates nothing after the first ones.
  struct Kept {
    BoxRuns runs{};
    std::vector<Placement<S>> placements{}, alike{};
    std::vector<Way> ways{};         // of the placements
    std::vector<std::size_t> way{};  // of each placement
    std::uint64_t held() const {
      return runs.held() + (placements.capacity() + alike.capacity()) * sizeof(Placement<S>) +
             ways.capacity() * sizeof(Way) + way.capacity() * sizeof(std::size_t);
    }
  };

 public:
  /// `to`: the boxes' memory. `bytes`: of all elements of the boxes. `part_placer`: what places the parts, such as a
  /// ConvertingPlacer; null: they are copied. Requires: `boxes`, `part_placer` and what `to` refers to outlive this.
  BoxPlacer(BoxesInChunks const& boxes, BoxTargets<S> const& to, std::uint64_t bytes,
            AnyPlacer<S> const* part_placer = nullptr)
      : boxes_{boxes},
        to_{to},
        is_large_{bytes >= beyond_caches},
        part_placer_{part_placer},
        by_index_{part_placer ? part_placer->by_index() : nullptr} {}

  /// The first byte of the memory that does not exist, into which chunks are listed.
  std::byte* listed() const { return reinterpret_cast<std::byte*>(const_cast<BoxPlacer*>(this)); }

  std::uint64_t place(std::span<Placement<S> const> batch, PlacementForm const& form, queue_for<S>& on) const override {
    auto const kept = on.host().template lease<Kept>();
    kept->placements.clear(), kept->ways.clear(), kept->way.clear();
    std::uint64_t moved = 0;
    for (auto const& one : batch) {
      auto const window = boxes_.window(static_cast<std::uint64_t>(one.to - listed()));
      for (auto const i : boxes_.wanting(window.chunk)) {
        if (!boxes_.find_runs(i, window.first, one.count, kept->runs)) continue;  // of a chunk that comes in tiles
        kept->runs.for_each_part([&](Extents const& at) {
          auto const alike = by_index_ ? kept->runs.along(by_index_->dimension())[at[by_index_->dimension()]].count : 1;
          for (std::uint64_t k = 0; k < alike; ++k) {
            if (kept->placements.size() == PartPlacer<S>::most) moved += place_kept(*kept, form, on);
            add(*kept, at, k, i, window, one, form);
          }
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

  /// Of a chunk that one box has, all of it and once: the memory of that box.
  std::byte* direct(std::byte* to, Extents const& count, Strides const& strides) const override {
    auto const window = boxes_.window(static_cast<std::uint64_t>(to - listed()));
    auto const wanting = boxes_.wanting(window.chunk);
    if (part_placer_.other || boxes_.turns().are_any() || wanting.size() != 1 || window.byte != 0) return nullptr;
    auto const box = wanting[0];
    auto* there = to_.data(box);
    for (std::size_t d = 0; d < count.rank(); ++d) {
      auto const steps = boxes_.steps(box, d);
      auto const inside = boxes_.axis(d).inside(steps);
      if (steps.step != 1 || inside.count != steps.count || inside.first > window.first[d] ||
          window.first[d] + count[d] > inside.first + inside.count || to_.strides(box)[d] != strides[d])
        return nullptr;
      there += static_cast<std::int64_t>(window.first[d] - inside.first) * strides[d];
    }
    return there;
  }

  /// Never called: listed chunks are boxes.
  std::uint64_t place_listed(ListedBatch<S> const&, PlacementForm const&, queue_for<S>&) const override { return 0; }

 private:
  // One part of a box; of a PlacerByIndex the k-th of its indices.
  void add(Kept& kept, Extents const& at, std::uint64_t k, std::size_t box, ChunkWindow const& window,
           Placement<S> const& chunk, PlacementForm const& form) const {
    Placement<S> part{chunk.from, to_.data(box) + window.byte, chunk.count};
    Way way{form.from_strides, to_.strides(box), 0};
    for (std::size_t d = 0; d < at.rank(); ++d) {
      auto run = kept.runs.along(d)[at[d]];
      if (by_index_ && d == by_index_->dimension()) {
        auto const ahead = boxes_.stride(box, d, run) * static_cast<std::int64_t>(k);
        run = {run.target + k, 1, run.first + static_cast<std::uint64_t>(ahead), 1};
        way.index = run.first;
      }
      auto const there = boxes_.turns().in_memory(box, d);
      auto stride = boxes_.stride(box, d, run) * form.from_strides[d];
      auto first = static_cast<std::int64_t>(run.first - window.first[d]) * form.from_strides[d];
      if (boxes_.turns().is_flipped(box, d)) {
        first += static_cast<std::int64_t>(run.count - 1) * stride;
        stride = -stride;
      }
      part.count[there] = run.count;
      part.to += static_cast<std::int64_t>(boxes_.first_in_memory(box, d, run.target, run.count)) * way.to[there];
      if (part.from) part.from += first;
      way.from[there] = stride;
    }
    if (part.from == part.to) return;  // decoded there
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
    of_way.non_temporal = is_large_;
    of_way.item_size = part_placer_.placed_size(form.item_size);
    if (part_placer_.other) of_way.fill = fill_;
    auto placing = part_placer_;
    std::uint64_t moved = 0;
    for (std::size_t i = 0; i < kept.ways.size(); ++i) {
      of_way.from_strides = kept.ways[i].from;
      of_way.to_strides = kept.ways[i].to;
      if (by_index_) {
        auto const& one = by_index_->of(kept.ways[i].index);
        placing.other = &one;
        of_way.fill = one.made_fill();
      }
      auto const* placements = &kept.placements;
      if (kept.ways.size() > 1) {
        kept.alike.clear();
        for (std::size_t at = 0; at < kept.way.size(); ++at)
          if (kept.way[at] == i) kept.alike.push_back(kept.placements[at]);
        placements = &kept.alike;
      }
      moved += placing.place(*placements, of_way, on);
    }
    kept.placements.clear(), kept.ways.clear(), kept.way.clear();
    return moved;
  }

  BoxesInChunks const& boxes_;
  BoxTargets<S> const to_;
  bool const is_large_;
  PlacerOrUsual<S> const part_placer_;
  PlacerByIndex<S> const* const by_index_;  // part_placer_, if it is one
  ByteView<space::Host> mutable fill_{};    // set before any placing
};

}}}  // namespace tessera::v0::detail
