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
#include <tessera/place/detail/point_table.hpp>
#include <tessera/place/detail/word.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

/// Each thread moves a few words, in the order of the list of numbers.
template <unsigned W, class Source = BytesInPlace>
struct PlacePoints {
  static constexpr unsigned threads = placing_threads, phases = 1, each = words_per_thread(W);
  struct Shared {};
  PointTable table;
  Source source{};

  template <unsigned>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared&) const {
    auto const box = table.box_of(block);
    auto const bytes = source.of(box.from);
    auto const first = static_cast<std::uint32_t>(block - box.first_block) * (threads * each) + thread;
    move_words<W, each, threads>(
        first, box.words, [&](std::uint32_t n, std::byte*& to) { return read(bytes, box, n, to); },
        [&](Word<W> const& word) { return box.from ? swapped(word, table.swapped) : word; });
  }

 private:
  template <class Bytes>
  TESSERA_HOST_DEVICE Word<W> read(Bytes const& bytes, PlacedPoints const& box, std::uint32_t n, std::byte*& to) const {
    auto const in_item = table.item_words.remainder(n);
    auto const offset = table.offsets_of(box, box.first + table.item_words.quotient(n));
    to = box.to + offset.to + std::int64_t{in_item} * W;
    if (!box.from) return bytes.template word<W>(table.fill() + std::size_t{in_item} * W);
    return bytes.template word<W>(box.from + offset.from + std::int64_t{in_item ^ table.mirror} * W);
  }
};

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
