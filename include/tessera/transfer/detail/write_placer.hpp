// WritePlacer: places elements from the caller's memory into the chunks of a mini-batch.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/key/key.hpp>
#include <tessera/plan/detail/boxes.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/transfer/detail/listed_placer.hpp>
#include <tessera/transfer/detail/part_placer.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// One chunk of a mini-batch being written.
template <MemorySpace ArraySpace>
struct ChunkWrite {
  Piece piece;
  Key key;
  ByteSpan<ArraySpace> chunk;  // in the layout that the pipeline encodes
  bool is_new;                 // keeps nothing of an older value
};

/// The fill value in decoded bytes: in the stored byte order.
TESSERA_DECL void put_stored_fill(std::vector<std::byte>& stored, ByteView<space::Host> fill, Layout const& layout);

/// Referenced objects must outlive this.
template <class P>
class WritePlacer {
  using array_space = typename P::array_space;
  using Queue = typename P::queue_type;
  using Origin = StridedView<array_space>;
  using Slots = std::span<ChunkWrite<array_space> const>;

 public:
  /// A queue keeps them for reuse.
  struct Buffers {
    std::vector<Placement<array_space>> placements;
    ListedBatch<array_space> listed;
  };

  /// `fill`: in the stored byte order.
  WritePlacer(Layout const& layout, Plan const& plan, Origin const& origin, ByteView<space::Host> fill,
              Buffers& buffers, Queue& on)
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

  /// Places the elements of each slot's piece into its chunk; the rest of a new chunk is filled.
  void place(Slots slots) {
    PartPlacer placing{buffers_.placements, form_, on_, origin_.placer};
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
    placing.place();
  }

 private:
  void place_listed(Slots slots) {
    ListedPlacer placing{buffers_.listed,     plan_, layout_, origin_.strides,
                         Direction::to_chunk, form_, on_,     origin_.placer};
    for (std::size_t i = 0; i < slots.size(); ++i) placing.add(slots[i].piece, origin_.data, slots[i].chunk.data, i);
    placing.place();
  }

  // Fills the rest of new chunks.
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

  // Fills whole new chunks if the given elements leave gaps; these then overwrite the fill value.
  void fill_below(Slots slots) {
    PlacementForm const form{layout_.item_size, 1, fill_, layout_.strides, layout_.strides};
    PartPlacer<array_space> placing{buffers_.placements, form, on_};
    auto const elements = element_count(layout_.shape, "a chunk");
    for (auto const& slot : slots)
      if (slot.is_new && plan_.elements(slot.piece) != elements) placing.add({nullptr, slot.chunk.data, layout_.shape});
    placing.place();
  }

  Layout const& layout_;
  Plan const& plan_;
  Origin const& origin_;
  ByteView<space::Host> fill_;
  Buffers& buffers_;
  queue_for<array_space>& on_;
  PlacementForm const form_;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/write_placer.ipp>
#endif
