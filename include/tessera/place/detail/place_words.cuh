// PlaceWords: the kernel that moves elements in words, where source and destination are dense along the same axis.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>
#include <tessera/place/detail/placement_table.hpp>
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

}  // namespace detail
}}  // namespace tessera::v0
