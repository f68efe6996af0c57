// ConvertedNumbers: points whose numbers a ConvertingPlacer converts on the way.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.cuh>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/convert.cuh>
#include <tessera/place/detail/converting_points.cuh>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/point_table.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// `Moving` of a PointPlacer.
template <class Way>
struct ConvertedNumbers {
  ConvertingPlacer<space::Device, Way> const* by;
  std::size_t size = sizeof(typename Way::To);

  ByteView<space::Host> placed_fill(ByteView<space::Host> of_array) const { return by->placed_fill(of_array); }
  std::uint64_t place(std::span<Placement<space::Device> const> boxes, PlacementForm const& form,
                      Queue<space::Device>& on) const {
    return by->place(boxes, form, on);
  }
  std::uint64_t place_points(std::span<PointsOfChunk const> chunks, PlacementForm const& form,
                             SortedPoints const& points, Queue<space::Device>& on) const {
    return convert_points_by_kernel(*by, chunks, form, points, on);
  }
};

}}}  // namespace tessera::v0::detail
