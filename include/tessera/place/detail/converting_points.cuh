// convert_points_by_kernel: as place_points_by_kernels, but each number is converted on the way.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/config.hpp>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/convert.cuh>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/placement_table.hpp>
#include <tessera/place/detail/placing_points.cuh>
#include <tessera/place/detail/point_table.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Returns the bytes moved. Divides chunks of `limit` numbers or more. Throws: DeviceError.
template <class Way>
std::uint64_t convert_points_by_kernel(ConvertingPlacer<space::Device, Way> const& by,
                                       std::span<PointsOfChunk const> batch, PlacementForm const& form,
                                       SortedPoints const& points, Queue<space::Device>& on,
                                       std::uint64_t limit = most_words) {
  auto lent = on.lease<PlacingPoints>();
  auto& plan = lent->plan;
  plan.make(batch, {1, 1, form.fill, form.from_strides, form.to_strides}, points, limit);
  if (plan.blocks == 0) {
    lent.leave_unused();
    return 0;
  }
  std::uint64_t together = points.to_chunks ? static_cast<std::uint64_t>(points.stride) : 0;
  if (!points.to_chunks)
    for (auto const stride : form.from_strides) together |= static_cast<std::uint64_t>(stride);
  for (auto const& chunk : batch) {
    together |= reinterpret_cast<std::uintptr_t>(chunk.from);
    if (!chunk.from && !by.fill_fits()) by.misfits.add();
  }
  auto const table = table_of(lent, on);
  launch_blocks(on, plan.blocks, ConvertListed<PointTable, Way>{table, by.converter(form, together)});
  return plan.moved * sizeof(typename Way::To);
}

}}}  // namespace tessera::v0::detail
