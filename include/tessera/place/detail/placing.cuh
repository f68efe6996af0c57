// place_by_kernels: places a batch with one launch, and one copy of a long table. find_filled_by_kernels: one query for
// a batch of chunks.
// PlaceWords: the kernel that moves elements in words, where source and destination are dense along the same axis.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/core/config.hpp>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/place/detail/find_filled.cuh>
#include <tessera/place/detail/place_tiles.cuh>
#include <tessera/place/detail/placement_plan.hpp>
#include <tessera/place/detail/placement_table.hpp>
#include <tessera/place/detail/placer.hpp>
#include <tessera/place/detail/word.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

/// Each thread moves a few words, in the order of the destination.
template <unsigned W, class Source = BytesInPlace>
struct PlaceWords {
  static constexpr unsigned threads = placing_threads, phases = 1, each = words_per_thread(W);
  static constexpr unsigned together = 5;  // blocks per multiprocessor: 51 registers per thread
  struct Shared {};
  PlacementTable table;
  Source source{};

  template <unsigned>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared&) const {
    auto const box = table.box_of(block);
    auto const& shape = table.shape(box.shape);
    auto const bytes = source.of(box.from);
    auto const first = static_cast<std::uint32_t>(block - box.first_block) * (threads * each) + thread;
    move_words<W, each, threads>(
        first, shape.words, [&](std::uint32_t n, std::byte*& to) { return read(bytes, box, shape, n, to); },
        [&](Word<W> const& word) { return box.from ? swapped(word, table.swapped) : word; });
  }

 private:
  template <class Bytes>
  TESSERA_HOST_DEVICE Word<W> read(Bytes const& bytes, PlacedBox const& box, PlacedShape const& shape, std::uint32_t n,
                                   std::byte*& to) const {
    std::int64_t from_offset = 0, to_offset = 0;
    auto rest = n;
    for (auto d = table.rank; d-- > 0;) {
      auto const& axis = table.axes[d];
      auto const at = shape.by_steps[d].remainder(rest);
      rest = shape.by_steps[d].quotient(rest);
      from_offset += axis.from * static_cast<std::int64_t>(at ^ axis.mirror);
      to_offset += axis.to * static_cast<std::int64_t>(at);
    }
    to = box.to + to_offset;
    if (box.from) return bytes.template word<W>(box.from + from_offset);
    auto const in_row = table.rank == 0 ? 0 : shape.by_steps[table.rank - 1].remainder(n);
    return word_at<W>(table.fill() + table.fill_words.remainder(in_row) * W);
  }
};

// The buffers of a placing launch, kept by the queue: only the first launch allocates.
template <class Plan>
struct PlacingWith {
  Plan plan;
  Scratch<space::Pinned> staging;
  Scratch<space::Device> table;
  std::size_t held() const { return staging.held() + table.held(); }
};
using Placing = PlacingWith<PlacementPlan>;
struct FillQuestion {
  Scratch<space::Pinned> memory;
  std::size_t held() const { return memory.held(); }
};

// Rounded up, so that a slightly larger table does not allocate.
inline std::size_t in_steps(std::size_t size) { return std::bit_ceil(std::max(size, std::size_t{1} << 14)); }

template <class F>
void with_word(unsigned word, F&& f) {
  if (word == 16) return f(std::integral_constant<unsigned, 16>{});
  if (word == 8) return f(std::integral_constant<unsigned, 8>{});
  if (word == 4) return f(std::integral_constant<unsigned, 4>{});
  if (word == 2) return f(std::integral_constant<unsigned, 2>{});
  return f(std::integral_constant<unsigned, 1>{});
}

/// Writes the bytes of a plan's table, part after part: the fill first, because its words are the largest.
class TableWriter {
 public:
  explicit TableWriter(std::byte* memory) : memory_{memory} {}
  /// Returns the offset of the part.
  template <class T>
  std::uint32_t put(std::vector<T> const& part) {
    auto const at = size_;
    if (!part.empty()) std::memcpy(memory_ + at, part.data(), part.size() * sizeof(T));
    size_ += size_of(part);
    return static_cast<std::uint32_t>(at);
  }
  template <class T>
  static std::size_t size_of(std::vector<T> const& part) {
    return (part.size() * sizeof(T) + 15) / 16 * 16;
  }

 private:
  std::byte* memory_;
  std::size_t size_ = 0;
};

/// Calls write(memory) for a table's variable parts. The memory is among the kernel's arguments, or is copied to the
/// device ahead of the queued work, which is done with it.
template <class Placing, class Table, class Write>
void put_parts(DeviceLease<Placing>& lent, Table& table, std::size_t size, Queue<space::Device>& on, Write&& write) {
  if (size <= most_in_arguments) {
    write(table.here);
    lent.leave_unused();  // the kernel does not use it
    return;
  }
  auto const staged = lent->staging.take(in_steps(size), on).sub(0, size);
  auto const there = lent->table.take(in_steps(size), on).sub(0, size);
  write(staged.data);
  table.there = there.data;
  crossing<space::Device, space::Pinned>::copy_ahead(staged, there, on);
}

/// A plan's table, for one launch in the queue's order.
inline PlacementTable table_of(DeviceLease<Placing>& lent, Queue<space::Device>& on) {
  auto& plan = lent->plan;
  auto const size =
      TableWriter::size_of(plan.fill) + TableWriter::size_of(plan.boxes) + TableWriter::size_of(plan.shapes);
  auto table = plan.table;
  auto const write = [&](std::byte* to) {
    TableWriter writer{to};
    table.fill_at = writer.put(plan.fill);
    table.boxes_at = writer.put(plan.boxes);
    table.shapes_at = writer.put(plan.shapes);
  };
  put_parts(lent, table, size, on, write);
  return table;
}

/// Launches the kernel for words of that many bytes.
template <template <unsigned, class> class Kernel, class Table, class Source>
void launch_placing(Queue<space::Device>& on, std::uint64_t blocks, unsigned word, Table const& table,
                    Source const& source) {
  if (word == 16) return launch_blocks(on, blocks, Kernel<16, Source>{table, source});
  if (word == 8) return launch_blocks(on, blocks, Kernel<8, Source>{table, source});
  if (word == 4) return launch_blocks(on, blocks, Kernel<4, Source>{table, source});
  if (word == 2) return launch_blocks(on, blocks, Kernel<2, Source>{table, source});
  launch_blocks(on, blocks, Kernel<1, Source>{table, source});
}

/// As placer<space::Device>::place. Divides boxes of `limit` words or more.
template <MemorySpace S, class Source = BytesInPlace>
std::uint64_t place_by_kernels(std::span<Placement<S> const> batch, PlacementForm const& form, Queue<space::Device>& on,
                               std::uint64_t limit = most_words, Source const& source = {}) {
  auto lent = on.lease<Placing>();
  auto& plan = lent->plan;
  plan.make(batch, form, limit);
  if (plan.blocks == 0) return 0;
  auto const table = table_of(lent, on);
  if (plan.tiled)
    launch_placing<PlaceTiles>(on, plan.blocks, plan.word, table, source);
  else
    launch_placing<PlaceWords>(on, plan.blocks, plan.word, table, source);
  return plan.moved;
}

/// As placer<space::Device>::find_filled.
template <MemorySpace S>
void find_filled_by_kernels(ByteView<S> chunks, std::size_t size, ByteView<space::Host> element,
                            std::span<std::uint8_t> filled, Queue<space::Device>& on) {
  std::fill(filled.begin(), filled.end(), std::uint8_t{1});
  if (size == 0 || filled.empty()) return;
  auto const together = reinterpret_cast<std::uintptr_t>(chunks.data) | size | 16;
  auto lent = on.lease<FillQuestion>();
  with_word(1u << std::countr_zero(together), [&](auto word) {
    using Kernel = FindFilled<word()>;
    auto const period = std::lcm(element.size, std::size_t{word()});
    auto const memory = lent->memory.take(in_steps(period + filled.size()), on);
    for (std::size_t at = 0; at < period; at += element.size) std::memcpy(memory.data + at, element.data, element.size);
    auto* const answers = reinterpret_cast<std::uint8_t*>(memory.data + period);
    std::memset(answers, 1, filled.size());
    auto const words = size / word();
    auto const blocks = (words - 1) / Kernel::words_per_block + 1;
    launch_blocks(on, filled.size() * blocks,
                  Kernel{chunks.data, words, blocks, memory.data, Division{static_cast<std::uint32_t>(period / word())},
                         answers});
    lent.record();
    lent.wait();
    std::memcpy(filled.data(), answers, filled.size());
  });
}

}  // namespace detail
}}  // namespace tessera::v0
