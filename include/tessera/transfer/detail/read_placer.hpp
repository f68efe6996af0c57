// ReadPlacer: places the elements of a mini-batch's decoded chunks into the target.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/pipeline/detail/batch.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>
#include <tessera/transfer/detail/chunk_read.hpp>
#include <tessera/transfer/detail/listed_placer.hpp>
#include <tessera/transfer/detail/part_placer.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Whether elements are C++ bools, for which not every byte is valid.
template <class P>
bool has_booleans(ChunkAccess<P> const& source) {
  return P::array_space::host_accessible && source.form.chunk.type.kind == DataKind::boolean;
}

/// Referenced objects must outlive this.
template <class P>
class ReadPlacer {
  using array_space = typename P::array_space;
  using Queue = typename P::queue_type;
  using Task = DecodeTask<typename P::bytes_space, array_space>;

 public:
  using Target = StridedSpan<array_space>;

  /// Whether a codec may leave its bytes where it decoded them, and provide a placer for them.
  static bool takes_unjoined(Target const& target) {
    return std::same_as<array_space, space::Device> && !target.placer;
  }

  /// A queue keeps them for reuse.
  struct Buffers {
    std::vector<Placement<array_space>> placements;
    ListedBatch<array_space> listed;
  };

  ReadPlacer(ChunkAccess<P> const& source, Plan const& plan, Target const& target, Buffers& buffers, Queue& on)
      : source_{source},
        plan_{plan},
        target_{target},
        buffers_{buffers},
        on_{queue_in<array_space>(on)},
        form_{form_of(source, plan, target)} {}

  /// Places a stored tile. Returns the bytes moved.
  std::uint64_t place_tile(ChunkRead<P> const& slot) {
    expect_size(slot.encoded.size, static_cast<std::size_t>(slot.wanted.size), 0);
    PartPlacer placing{buffers_.placements, form_, on_, target_.placer};
    placing.add(placement(slot, slot.piece.part, slot.encoded.data));
    return placing.place();
  }

  /// Places all slots: the t-th task has decoded the chunk of slots[found[t]]; the others are missing. Chunks already
  /// in the target are only checked. Returns the bytes moved.
  std::uint64_t place(std::span<ChunkRead<P> const> slots, std::span<Task const> tasks,
                      std::span<std::size_t const> found, typename P::Decoding const& decoding) {
    if (plan_.is_scattered()) return place_listed(slots, tasks, found, decoding);
    PartPlacer placing{buffers_.placements, form_, on_, placer_after(decoding)};
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      auto const& slot = slots[found[t]];
      auto const decoded = tasks[t].decoded.data;
      bool const is_there = slot.is_tile || (!target_.placer && decoded && decoded == slot.direct.data);
      if (is_there && !has_booleans(source_)) continue;
      plan_.for_each_part(slot.piece, [&](Part const& part) {
        auto const next = placement(slot, part, decoded);
        if constexpr (array_space::host_accessible)
          if (has_booleans(source_)) expect_booleans(next, form_.from_strides, t);
        if (!is_there) placing.add(next);
      });
    }
    for (auto const& slot : slots)
      if (!slot.found)
        plan_.for_each_part(slot.piece, [&](Part const& part) {
          placing.add({nullptr, address(target_.data, part.target, target_.strides), part.count});
        });
    return placing.place();
  }

 private:
  static PlacementForm form_of(ChunkAccess<P> const& source, Plan const& plan, Target const& target) {
    auto const& layout = source.form.layout;
    auto const item_size = target.placer ? target.item_size : layout.item_size;
    return {item_size,
            layout.swapped,
            source.fill,
            stepped(layout.strides, plan.steps()),
            plan.strides_in(target.strides),
            plan.elements() >= beyond_caches / item_size,
            layout.runs};
  }

  // `decoded` may be only the wanted bytes of the slot's chunk.
  Placement<array_space> placement(ChunkRead<P> const& slot, Part const& part, std::byte const* decoded) const {
    auto const from = offset(part.first, source_.form.layout.strides) - static_cast<std::int64_t>(slot.wanted.offset);
    return {decoded + from, address(target_.data, part.target, target_.strides), part.count};
  }

  // The target's placer, or that of a codec that left its bytes where it decoded them.
  AnyPlacer<array_space> const* placer_after([[maybe_unused]] typename P::Decoding const& decoding) const {
    if constexpr (std::same_as<array_space, space::Device>)
      if (decoding.placer) return decoding.placer;
    return target_.placer;
  }

  std::uint64_t place_listed(std::span<ChunkRead<P> const> slots, std::span<Task const> tasks,
                             std::span<std::size_t const> found, typename P::Decoding const& decoding) {
    ListedPlacer placing{buffers_.listed, plan_, source_.form.layout,   target_.strides, Direction::to_memory,
                         form_,           on_,   placer_after(decoding)};
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      auto const& slot = slots[found[t]];
      auto const* const chunk = tasks[t].decoded.data - slot.wanted.offset;
      placing.add(slot.piece, chunk, target_.data, t, has_booleans(source_));
    }
    for (auto const& slot : slots)
      if (!slot.found) placing.add(slot.piece, nullptr, target_.data, 0);
    return placing.place();
  }

  ChunkAccess<P> const& source_;
  Plan const& plan_;
  Target const& target_;
  Buffers& buffers_;
  queue_for<array_space>& on_;
  PlacementForm const form_;
};

}}}  // namespace tessera::v0::detail
