// ListedTable, read by the kernel that places elements of lists; and ListedPlan, with which the host makes it.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/place/detail/listed.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/placement_table.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// A ListedBox of less than 2^31 words.
struct PlacedList {
  std::byte const* from;  ///< null: to be filled
  std::byte* to;
  std::uint64_t first_block;
  std::uint32_t words, first_axis, axes;
};

struct PlacedListAxis {
  OffsetPair step;
  std::uint64_t first_pair;
  Division count;
  bool is_list;
};

/// A batch as passed to its kernel. The variable parts (boxes, their axes, the lists' pairs, a fill of one element) are
/// among the arguments or in device memory, as in PlacementTable.
struct ListedTable {
  std::byte const* there = nullptr;  ///< in device memory; null: `here`
  std::uint32_t boxes_at = 0, axes_at = 0, pairs_at = 0, fill_at = 0;
  Division item_words{};  ///< words of an element
  std::uint32_t box_count = 0;
  std::uint32_t swapped = 1;  ///< bytes reversed together within a word
  std::uint32_t mirror = 0;   ///< the source's word i is i ^ mirror, if words are smaller than swapped units
  alignas(16) std::byte here[most_in_arguments];  // uninitialised where unused

  TESSERA_HOST_DEVICE std::byte const* parts() const { return there ? there : here; }
  TESSERA_HOST_DEVICE PlacedListAxis const& axis(std::uint32_t i) const {
    return reinterpret_cast<PlacedListAxis const*>(parts() + axes_at)[i];
  }
  TESSERA_HOST_DEVICE OffsetPair const& pair(std::uint64_t i) const {
    return reinterpret_cast<OffsetPair const*>(parts() + pairs_at)[i];
  }
  TESSERA_HOST_DEVICE std::byte const* fill() const { return parts() + fill_at; }

  /// Where the n-th element of a box is: distances in bytes from its two addresses.
  TESSERA_HOST_DEVICE OffsetPair offsets_of(PlacedList const& box, std::uint32_t n) const {
    OffsetPair offset{0, 0};
    for (auto a = box.axes; a-- > 0;) {
      auto const& along = axis(box.first_axis + a);
      auto const at = along.count.remainder(n);
      n = along.count.quotient(n);
      if (along.is_list) {
        auto const& listed = pair(along.first_pair + at);
        offset.from += listed.from;
        offset.to += listed.to;
      } else {
        offset.from += std::int64_t{at} * along.step.from;
        offset.to += std::int64_t{at} * along.step.to;
      }
    }
    return offset;
  }

  /// The box to which a block belongs.
  TESSERA_HOST_DEVICE PlacedList box_of(std::uint64_t block) const {
    return box_of_block(reinterpret_cast<PlacedList const*>(parts() + boxes_at), box_count, block);
  }
};

/// Divides a batch among the blocks of one kernel. Reused, to keep its vectors' memory.
class ListedPlan {
 public:
  /// Divides boxes of `limit` words or more. Throws: Error, if a device cannot place the elements.
  template <MemorySpace S>
  void make(ListedBatch<S> const& batch, PlacementForm const& form, std::uint64_t limit) {
    boxes.clear();
    axes.clear();
    table = {};
    blocks = moved = 0;
    bool const is_swapped_by_words =
        std::has_single_bit(form.swapped) && form.swapped <= 8 && form.item_size % form.swapped == 0;
    if (form.item_size >= std::size_t{1} << 30 || !is_swapped_by_words)
      throw Error{to_text({"a device cannot place elements of ", form.item_size,
                           " bytes whose byte order is reversed in groups of ", form.swapped})};
    choose_word(batch, form);
    fill.assign(form.fill.data, form.fill.data + form.fill.size);
    for (auto const& box : batch.boxes) {
      for (std::size_t a = 0; a < box.axes; ++a) axes_.push_back(batch.axes[box.first_axis + a]);
      add(box.from, box.to, limit);
      axes_.clear();
      moved += batch.elements(box) * form.item_size;
    }
    table.box_count = static_cast<std::uint32_t>(boxes.size());
  }

  ListedTable table;  ///< without its variable parts
  std::vector<PlacedList> boxes;
  std::vector<PlacedListAxis> axes;
  std::vector<std::byte> fill;
  std::uint64_t blocks = 0;  ///< of the kernel
  std::uint64_t moved = 0;   ///< bytes
  unsigned word = 1;         ///< bytes read and written at once

 private:
  // The largest that divides all addresses, offsets and elements.
  template <MemorySpace S>
  void choose_word(ListedBatch<S> const& batch, PlacementForm const& form) {
    std::uint64_t together = 16 | form.item_size;
    auto const add = [&](OffsetPair const& pair) {
      together |= static_cast<std::uint64_t>(pair.from) | static_cast<std::uint64_t>(pair.to);
    };
    for (auto const& box : batch.boxes)
      together |= reinterpret_cast<std::uintptr_t>(box.from) | reinterpret_cast<std::uintptr_t>(box.to);
    for (auto const& axis : batch.axes) add(axis.step);
    for (auto const& pair : batch.pairs) add(pair);
    word = 1u << std::countr_zero(together);
    table.item_words = Division{static_cast<std::uint32_t>(form.item_size) / word};
    if (form.swapped > word) table.mirror = static_cast<std::uint32_t>(form.swapped) / word - 1;
    table.swapped = std::min(static_cast<std::uint32_t>(form.swapped), word);
  }

  // Adds a box of axes_; if it is too large, in two halves along the first axis that allows it.
  void add(std::byte const* from, std::byte* to, std::uint64_t limit);

  std::vector<ListedAxis> axes_;  // of the box being added
};

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/place/detail/listed_table.ipp>
#endif
