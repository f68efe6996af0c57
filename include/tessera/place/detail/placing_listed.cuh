// place_listed_by_kernels: places elements of lists with one launch, and one copy of a long table.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/place/detail/listed_table.hpp>
#include <tessera/place/detail/placing.cuh>
#include <tessera/place/detail/word.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

/// Each thread moves a few words, in the order of a ListedTable or a PointTable.
template <class Table, unsigned W, class Source>
struct PlaceListed {
  static constexpr unsigned threads = placing_threads, phases = 1, each = words_per_thread(W);
  struct Shared {};
  Table table;
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
  template <class Bytes, class Box>
  TESSERA_HOST_DEVICE Word<W> read(Bytes const& bytes, Box const& box, std::uint32_t n, std::byte*& to) const {
    auto const in_item = table.item_words.remainder(n);
    auto const offset = table.offsets_of(box, table.item_words.quotient(n));
    to = box.to + offset.to + std::int64_t{in_item} * W;
    auto const from_offset = offset.from + std::int64_t{in_item ^ table.mirror} * W;
    return bytes.template word<W>(box.from ? box.from + from_offset : table.fill() + std::size_t{in_item} * W);
  }
};

template <unsigned W, class Source>
using PlaceLists = PlaceListed<ListedTable, W, Source>;

using PlacingLists = PlacingWith<ListedPlan>;

/// A plan's table with the batch's pairs, for one launch in the queue's order.
template <MemorySpace S>
ListedTable table_of(DeviceLease<PlacingLists>& lent, ListedBatch<S> const& batch, Queue<space::Device>& on) {
  auto& plan = lent->plan;
  auto const size = TableWriter::size_of(plan.fill) + TableWriter::size_of(plan.boxes) +
                    TableWriter::size_of(plan.axes) + TableWriter::size_of(batch.pairs);
  auto table = plan.table;
  auto const write = [&](std::byte* to) {
    TableWriter writer{to};
    table.fill_at = writer.put(plan.fill);
    table.boxes_at = writer.put(plan.boxes);
    table.axes_at = writer.put(plan.axes);
    table.pairs_at = writer.put(batch.pairs);
  };
  put_parts(lent, table, size, on, write);
  return table;
}

/// As placer<space::Device>::place_listed. Divides boxes of `limit` words or more.
template <MemorySpace S, class Source = BytesInPlace>
std::uint64_t place_listed_by_kernels(ListedBatch<S> const& batch, PlacementForm const& form, Queue<space::Device>& on,
                                      std::uint64_t limit = most_words, Source const& source = {}) {
  if (batch.boxes.empty()) return 0;
  auto lent = on.lease<PlacingLists>();
  auto& plan = lent->plan;
  plan.make(batch, form, limit);
  auto const table = table_of(lent, batch, on);
  launch_placing<PlaceLists>(on, plan.blocks, plan.word, table, source);
  return plan.moved;
}

}  // namespace detail
}}  // namespace tessera::v0
