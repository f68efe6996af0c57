// place_points_by_kernels: copies the elements of points between chunks and memory with one launch, where coordinates
// and order of the points are in device memory.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/config.hpp>
#include <tessera/memory/queue.cuh>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/placement_table.hpp>
#include <tessera/place/detail/placing.cuh>
#include <tessera/place/detail/placing_listed.cuh>
#include <tessera/place/detail/point_table.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <unsigned W, class Source>
using PlacePoints = PlaceListed<PointTable, W, Source>;

using PlacingPoints = PlacingWith<PointPlan>;

/// A plan's table, for one launch in the queue's order.
inline PointTable table_of(DeviceLease<PlacingPoints>& lent, Queue<space::Device>& on) {
  auto const& plan = lent->plan;
  auto table = plan.table;
  auto const size = TableWriter::size_of(plan.fill) + TableWriter::size_of(plan.boxes) +
                    TableWriter::size_of(plan.origins) + TableWriter::size_of(plan.strides);
  auto const write = [&](std::byte* to) {
    TableWriter writer{to};
    table.fill_at = writer.put(plan.fill);
    table.boxes_at = writer.put(plan.boxes);
    table.origins_at = writer.put(plan.origins);
    table.strides_at = writer.put(plan.strides);
  };
  put_parts(lent, table, size, on, write);
  return table;
}

/// Returns the bytes moved. Divides chunks of `limit` words or more. Throws: DeviceError; as PointPlan::make. (A
/// template: kernels are compiled where they are used.)
template <std::same_as<space::Device> S>
std::uint64_t place_points_by_kernels(std::span<PointsOfChunk const> batch, PlacementForm const& form,
                                      SortedPoints const& points, Queue<S>& on, std::uint64_t limit = most_words) {
  auto lent = on.template lease<PlacingPoints>();
  auto& plan = lent->plan;
  plan.make(batch, form, points, limit);
  if (plan.blocks == 0) {
    lent.leave_unused();
    return 0;
  }
  auto const table = table_of(lent, on);
  launch_placing<PlacePoints>(on, plan.blocks, plan.word, table, BytesInPlace{});
  return plan.moved;
}

}  // namespace detail
}}  // namespace tessera::v0
