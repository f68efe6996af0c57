// Placing of a mini-batch that is written: elements from the caller's memory, to their places in chunks.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <tessera/pipeline/form.hpp>
#include <tessera/place/any_placer.hpp>
#include <tessera/place/copy.hpp>
#include <tessera/plan/boxes.hpp>
#include <tessera/plan/plan.hpp>
#include <tessera/transfer/chunk_access.hpp>
#include <tessera/transfer/listed_placer.hpp>
#include <tessera/transfer/part_placer.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// One chunk of a mini-batch that is written.
template <MemorySpace ArraySpace>
struct ChunkWrite {
  Piece piece;
  Key key;
  ByteSpan<ArraySpace> chunk;  // in the layout that the pipeline encodes from
  bool is_new;                 // nothing of an older value is kept
};

/// The fill value as it stands in decoded bytes: in the stored byte order.
inline void put_stored_fill(std::vector<std::byte>& stored, ByteView<space::Host> fill, Layout const& layout) {
  stored.resize(layout.item_size);
  if (!layout.runs.empty()) {
    std::copy_n(fill.data, layout.item_size, stored.begin());
    return swap_components(stored, layout.runs);
  }
  for (std::size_t part = 0; part < layout.item_size; part += layout.swapped)
    std::reverse_copy(fill.data + part, fill.data + part + layout.swapped, stored.data() + part);
}

/// `From` is a StridedView, or like one. What it refers to outlives it.
template <class P, class From>
class WritePlacer {
  using array_space = typename P::array_space;
  using Queue = typename P::queue_type;
  using Slots = std::span<ChunkWrite<array_space> const>;

 public:
  /// Kept by a queue and used again.
  struct Buffers {
    std::vector<Placement<array_space>> placements;
    ListedBatch<array_space> listed;
  };

  /// `fill`: as it is stored.
  WritePlacer(Layout const& layout, Plan const& plan, From const& origin, ByteView<space::Host> fill, Buffers& buffers,
              Queue& on)
      : layout_{layout},
        plan_{plan},
        origin_{origin},
        fill_{fill},
        buffers_{buffers},
        on_{queue_in<array_space>(on)},
        form_{layout.item_size,
              layout.swapped,
              fill,
              plan.strides_in(origin.strides),
              stepped(layout.strides, plan.steps()),
              false,
              layout.runs} {}

  /// The elements of each slot's piece into its chunk; what a new chunk has beside them is filled.
  void place(Slots slots) {
    PartPlacer placing{buffers_.placements, form_, on_, placer_of<array_space>(origin_)};
    if (plan_.is_box() && form_.to_strides == layout_.strides)
      fill_beside(slots, placing);
    else
      fill_below(slots);
    if (plan_.is_scattered()) return place_listed(slots);
    for (auto const& slot : slots)
      plan_.for_each_part(slot.piece, [&](Part const& part) {
        placing.add({address(origin_.data, part.target, origin_.strides),
                     address(slot.chunk.data, part.first, layout_.strides), part.count});
      });
    placing.finish();
  }

 private:
  void place_listed(Slots slots) {
    ListedPlacer placing{buffers_.listed,     plan_, layout_, origin_.strides,
                         Direction::to_chunk, form_, on_,     placer_of<array_space>(origin_)};
    for (std::size_t i = 0; i < slots.size(); ++i) placing.add(slots[i].piece, origin_.data, slots[i].chunk.data, i);
    placing.finish();
  }

  // What new chunks have beside their elements.
  template <class Placing>
  void fill_beside(Slots slots, Placing& placing) const {
    for (auto const& slot : slots) {
      auto const& part = slot.piece.part;
      if (!slot.is_new || part.count == layout_.shape) continue;
      for_each_beside(part.first, part.count, layout_.shape, [&](Extents const& first, Extents const& count) {
        placing.add({nullptr, address(slot.chunk.data, first, layout_.strides), count});
      });
    }
  }

  // Where elements are given with gaps between them, all of the chunk: they go over it.
  void fill_below(Slots slots) {
    PlacementForm const form{layout_.item_size, 1, fill_, layout_.strides, layout_.strides};
    PartPlacer<array_space> placing{buffers_.placements, form, on_};
    auto const elements = element_count(layout_.shape, "a chunk");
    for (auto const& slot : slots)
      if (slot.is_new && plan_.elements(slot.piece) != elements) placing.add({nullptr, slot.chunk.data, layout_.shape});
    placing.finish();
  }

  Layout const& layout_;
  Plan const& plan_;
  From const& origin_;
  ByteView<space::Host> fill_;
  Buffers& buffers_;
  queue_for<array_space>& on_;
  PlacementForm const form_;
};

}}}  // namespace tessera::v0::detail
