// PointPlacer: places the points of each listed chunk.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.cuh>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/place/detail/listed.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/placer.cuh>
#include <tessera/place/detail/placing_points.cuh>
#include <tessera/place/detail/point_table.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Of the k-th listed chunk: `origin` is its first element in the array, and its points are those from `first` to the
/// next chunk's `first` of SortedPoints::order.
struct ListedPoints {
  Extents origin;
  std::uint64_t first;
};

/// Moves elements as they are: `Moving` of a PointPlacer. converted_points.cuh has the other one.
struct CopiedElements {
  std::size_t size;  ///< of an element where it is placed
  ByteView<space::Host> placed_fill(ByteView<space::Host> of_array) const { return of_array; }
  std::uint64_t place(std::span<Placement<space::Device> const> boxes, PlacementForm const& form,
                      Queue<space::Device>& on) const {
    return placer<space::Device>::place(boxes, form, on);
  }
  std::uint64_t place_points(std::span<PointsOfChunk const> chunks, PlacementForm const& form,
                             SortedPoints const& points, Queue<space::Device>& on) const {
    return place_points_by_kernels(chunks, form, points, on);
  }
};

template <class Moving>
class PointPlacer final : public AnyPlacer<space::Device> {
 public:
  /// `chunks` has one more, which is the end. `memory`: the first element there. Requires: what is referred to outlives
  /// this.
  PointPlacer(std::span<ListedPoints const> chunks, SortedPoints const& points, std::byte const* memory, Moving moving)
      : chunks_{chunks}, points_{points}, memory_{memory}, moving_{moving} {}

  /// The first byte of the memory that does not exist, where listed chunks are: an element for each.
  std::byte* listed() const { return reinterpret_cast<std::byte*>(const_cast<PointPlacer*>(this)); }
  /// Its strides, for an array of that rank.
  Strides strides(std::size_t rank) const {
    auto strides = Strides::filled(rank, 0);
    if (rank > 0) strides[rank - 1] = static_cast<std::int64_t>(moving_.size);
    return strides;
  }

  /// Of a write, placements without a source are boxes of new chunks.
  std::uint64_t place(std::span<Placement<space::Device> const> batch, PlacementForm const& form,
                      Queue<space::Device>& on) const override {
    std::vector<PointsOfChunk> chunks;
    std::vector<Placement<space::Device>> filled;
    for (auto const& one : batch) {
      if (points_.to_chunks && !one.from) {
        if (std::ranges::find(one.count, std::uint64_t{0}) == one.count.end()) filled.push_back(one);
        continue;
      }
      auto const place = static_cast<std::size_t>((points_.to_chunks ? one.from : one.to) - listed());
      auto const& chunk = chunks_[place / moving_.size];
      auto const count = (&chunk)[1].first - chunk.first;
      auto const* const memory = memory_ + place % moving_.size;
      if (points_.to_chunks)
        chunks.push_back({memory, one.to, chunk.origin, chunk.first, count});
      else
        chunks.push_back({one.from, const_cast<std::byte*>(memory), chunk.origin, chunk.first, count});
    }
    std::uint64_t moved = 0;
    if (!filled.empty()) moved = moving_.place(filled, form, on);
    return moved + moving_.place_points(chunks, form, points_, on);
  }
  /// Never called: listed chunks are boxes.
  std::uint64_t place_listed(ListedBatch<space::Device> const&, PlacementForm const&,
                             Queue<space::Device>&) const override {
    return 0;
  }
  ByteView<space::Host> placed_fill(ByteView<space::Host> of_array) const override {
    return moving_.placed_fill(of_array);
  }
  std::size_t placed_size(std::size_t) const override { return moving_.size; }

 private:
  std::span<ListedPoints const> chunks_;
  SortedPoints points_;
  std::byte const* memory_;
  Moving moving_;
};

}}}  // namespace tessera::v0::detail
