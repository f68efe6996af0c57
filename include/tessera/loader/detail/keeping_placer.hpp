// KeepingPlacer: places the elements of each chunk into the boxes that want them, and into the memory where it is kept.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/array/detail/box_placer.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/place/detail/placer.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <MemorySpace S>
class KeepingPlacer final : public AnyPlacer<S> {
  // The queue keeps it for reuse.
  struct Kept {
    std::vector<Placement<S>> placements{};
    std::uint64_t held() const { return placements.capacity() * sizeof(Placement<S>); }
  };

 public:
  /// `slots`: for each chunk of the batch, the memory where it is kept, in the chunk's
  /// strides, or null. `non_temporal`: that memory exceeds the caches. Requires: all arguments outlive this.
  KeepingPlacer(BoxPlacer<S> const& boxes, std::uint64_t chunk_bytes, std::span<std::byte* const> slots,
                bool non_temporal)
      : boxes_{boxes}, chunk_bytes_{chunk_bytes}, slots_{slots}, non_temporal_{non_temporal} {}

  std::uint64_t place(std::span<Placement<S> const> batch, PlacementForm const& form, queue_for<S>& on) const override {
    {
      auto const kept = on.host().template lease<Kept>();
      auto& placements = kept->placements;
      placements.clear();
      for (auto const& one : batch) {
        auto const byte = static_cast<std::uint64_t>(one.to - boxes_.listed());
        if (auto* const slot = slots_[static_cast<std::size_t>(byte / chunk_bytes_)])
          placements.push_back({one.from, slot + byte % chunk_bytes_, one.count});
      }
      auto of_slots = form;
      of_slots.non_temporal = non_temporal_;
      if (!placements.empty()) placer<S>::place(placements, of_slots, on);
    }
    return boxes_.place(batch, form, on);
  }

  ByteView<space::Host> placed_fill(ByteView<space::Host> of_array) const override {
    return boxes_.placed_fill(of_array);
  }

  /// A kept chunk is copied to its slot, too.
  std::byte* direct(std::byte* to, Extents const& count, Strides const& strides) const override {
    auto const chunk = static_cast<std::uint64_t>(to - boxes_.listed()) / chunk_bytes_;
    return slots_[static_cast<std::size_t>(chunk)] ? nullptr : boxes_.direct(to, count, strides);
  }

  /// Never called: listed chunks are boxes.
  std::uint64_t place_listed(ListedBatch<S> const&, PlacementForm const&, queue_for<S>&) const override { return 0; }

 private:
  BoxPlacer<S> const& boxes_;
  std::uint64_t const chunk_bytes_;
  std::span<std::byte* const> slots_;
  bool const non_temporal_;
};

}}}  // namespace tessera::v0::detail
