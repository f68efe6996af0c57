// How a batch of placements is divided among the blocks of one kernel: made by the host, before a launch.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/copy.hpp>
#include <tessera/place/placement_table.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Used again and again, for it keeps its vectors' memory.
class PlacementPlan {
 public:
  using Batch = std::span<Placement<space::Device> const>;

  /// Boxes of `limit` words or more are divided: numbers of words are below 2^31 in kernels. Throws: Error, where boxes
  /// have more axes than kernels know, or elements are no device's. `whole`: a word stands for an element, whatever the
  /// element's size is on either side, and the form's is 1.
  void make(Batch batch, PlacementForm const& form, std::uint64_t limit = most_words, bool whole = false) {
    most_at_once_ = whole ? 1 : 16;
    boxes.clear();
    shapes.clear();
    table = {};
    blocks = moved = 0;
    count_up(batch, form);
    if (moved == 0) return;
    find_axes(form);
    choose_words(form);
    find_column();
    if (whole) tiled = false;
    if (tiled) choose_tile();
    for (std::size_t d = 0; d < rank_; ++d) {
      table.axes[d].from = axes_[d].from;
      table.axes[d].to = axes_[d].to;
    }
    table.rank = static_cast<std::uint32_t>(rank_);
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      auto const end = i + 1 < kinds_.size() ? kinds_[i + 1] : batch.data() + batch.size();
      add({kinds_[i], end}, limit);
    }
    table.box_count = static_cast<std::uint32_t>(boxes.size());
    table.by_box = Division{boxes[0].blocks};
  }

  PlacementTable table;  ///< but for what it has several of
  std::vector<PlacedBox> boxes;
  std::vector<PlacedShape> shapes;
  std::vector<std::byte> fill;  ///< whole words of whole elements; empty if there is nothing to be filled
  std::uint64_t blocks = 0;     ///< of the kernel
  std::uint64_t moved = 0;      ///< bytes
  unsigned word = 1;            ///< bytes that are read and written at once
  bool tiled = false;

 private:
  // Dimensions that continue each other, the last of them with the strides of all.
  struct JoinedAxis {
    std::int64_t from = 0, to = 0;
    std::uint32_t dimensions = 0;  // bit d: dimension d of the boxes
    std::uint64_t bytes = 1;       // of the element, if they are part of it
    std::uint64_t longest = 1;     // over all boxes; bytes or elements, then words
  };

  static bool is_empty(Extents const& count) {
    return std::any_of(count.begin(), count.end(), [](auto n) { return n == 0; });
  }
  static std::uint64_t length(JoinedAxis const& axis, Extents const& count) {
    auto result = axis.bytes;
    for (auto left = axis.dimensions; left != 0; left &= left - 1)
      result *= count[static_cast<std::size_t>(std::countr_zero(left))];
    return result;
  }
  // Along the axis that the bytes of elements are part of, if it was not left out, there are several in a word.
  std::uint64_t words(std::size_t d, Extents const& count) const {
    auto const n = length(axes_[d], count);
    return has_bytes_ && d + 1 == rank_ ? n / word : n;
  }

  // Most chunks have the shape of the one before: what follows from it is worked out once for all of them.
  void count_up(Batch batch, PlacementForm const& form) {
    copies_ = fills_ = false;
    most_ = Extents::filled(form.to_strides.rank(), 1);
    kinds_.clear();
    addresses_ = 0;
    std::uint64_t bytes = 0;
    for (auto const& p : batch) {
      if (kinds_.empty() || (p.from == nullptr) != (kinds_.back()->from == nullptr) || p.count != kinds_.back()->count) {
        kinds_.push_back(&p);
        bytes = form.item_size;
        for (auto n : p.count) bytes *= n;
        if (bytes != 0) {
          (p.from ? copies_ : fills_) = true;
          for (std::size_t d = 0; d < p.count.rank(); ++d) most_[d] = std::max(most_[d], p.count[d]);
        }
      }
      if (bytes == 0) continue;
      moved += bytes;
      addresses_ |= reinterpret_cast<std::uintptr_t>(p.from) | reinterpret_cast<std::uintptr_t>(p.to);
    }
  }

  // The longest destination stride first, and the bytes of the element last. Lengths that are 1 everywhere are left
  // out.
  void find_axes(PlacementForm const& form) {
    rank_ = 0;
    for (std::size_t d = 0; d < most_.rank(); ++d) {
      if (most_[d] == 1) continue;
      auto at = rank_++;
      for (; at > 0 && std::abs(axes_[at - 1].to) < std::abs(form.to_strides[d]); --at) axes_[at] = axes_[at - 1];
      axes_[at] = {copies_ ? form.from_strides[d] : 0, form.to_strides[d], std::uint32_t{1} << d};
    }
    axes_[rank_++] = {1, 1, 0, form.item_size};
    for (auto d = rank_ - 1; d-- > 0;) {
      auto const& outer = axes_[d];
      auto const& inner = axes_[d + 1];
      if (!std::all_of(kinds_.begin(), kinds_.end(), [&](auto* p) { return continues(outer, inner, *p); })) continue;
      axes_[d + 1].dimensions |= outer.dimensions;
      std::copy(axes_ + d + 1, axes_ + rank_--, axes_ + d);
    }
    has_bytes_ = true;
  }
  static bool continues(JoinedAxis const& outer, JoinedAxis const& inner, Placement<space::Device> const& p) {
    if (is_empty(p.count) || length(outer, p.count) == 1) return true;
    auto const n = static_cast<std::int64_t>(length(inner, p.count));
    return outer.to == inner.to * n && (!p.from || outer.from == inner.from * n);
  }

  // The largest that addresses, strides and lengths all are multiples of.
  void choose_words(PlacementForm const& form) {
    auto together = most_at_once_ | addresses_;
    for (auto const* p : kinds_)
      if (!is_empty(p->count)) together |= length(axes_[rank_ - 1], p->count);
    for (std::size_t d = 0; d + 1 < rank_; ++d)
      together |= static_cast<std::uint64_t>(axes_[d].from) | static_cast<std::uint64_t>(axes_[d].to);
    word = 1u << std::countr_zero(together);

    for (std::size_t d = 0; d < rank_; ++d) axes_[d].longest = 1;
    for (auto const* p : kinds_)
      if (!is_empty(p->count))
        for (std::size_t d = 0; d < rank_; ++d) axes_[d].longest = std::max(axes_[d].longest, words(d, p->count));
    if (axes_[rank_ - 1].longest == 1) {
      --rank_;
      has_bytes_ = false;
    } else {
      axes_[rank_ - 1].from = axes_[rank_ - 1].to = static_cast<std::int64_t>(word);
    }
    bool const is_swapped_by_words =
        std::has_single_bit(form.swapped) && form.swapped <= 8 && form.item_size % form.swapped == 0;
    if (rank_ > most_axes || form.item_size >= std::size_t{1} << 30 || !is_swapped_by_words) refuse(form);

    if (form.swapped > word) table.axes[rank_ - 1].mirror = static_cast<std::uint32_t>(form.swapped) / word - 1;
    table.swapped = std::min(static_cast<std::uint32_t>(form.swapped), word);
    auto const period = std::lcm(form.item_size, std::size_t{word});
    table.fill_words = Division{static_cast<std::uint32_t>(period / word)};
    fill.clear();
    while (fills_ && form.fill.size != 0 && fill.size() < period)
      fill.insert(fill.end(), form.fill.data, form.fill.data + form.fill.size);
  }
  [[noreturn]] void refuse(PlacementForm const& form) const {
    if (rank_ > most_axes)
      throw Error{text({"boxes of ", rank_,
                        " dimensions that do not continue each other cannot be placed by a device: ", most_axes,
                        " are the most"})};
    throw Error{text({"elements of ", form.item_size, " bytes, of which ", form.swapped,
                      " together change their order, cannot be placed by a device"})};
  }

  // Tiles are for a source that is dense along another axis than the destination, both in runs of a sector at least: 32
  // bytes, of which memory reads and writes no part. Words in the order of the one side would touch the other's singly.
  void find_column() {
    constexpr std::int64_t sector = 32;
    auto const runs = [&](std::size_t d) { return axes_[d].longest * word >= sector; };
    tiled = false;
    if (!copies_ || has_bytes_ || rank_ < 2) return;
    row_ = rank_ - 1;
    if (std::abs(axes_[row_].to) >= sector || std::abs(axes_[row_].from) < sector || !runs(row_)) return;
    for (std::size_t d = 0; d < row_; ++d) {
      auto const stride = std::abs(axes_[d].from);
      if (stride == 0 || stride >= sector || std::abs(axes_[d].to) < sector || !runs(d)) continue;
      if (!tiled || stride < std::abs(axes_[column_].from)) column_ = d;
      tiled = true;
    }
  }

  // About as many words along the one as along the other; where that is more than there are, along a third axis.
  void choose_tile() {
    if (rank_ == 2) {  // of length 1
      std::copy_backward(axes_, axes_ + 2, axes_ + 3);
      axes_[0] = {};
      ++rank_, ++row_, ++column_;
    }
    auto const depth = column_ == rank_ - 2 ? rank_ - 3 : rank_ - 2;
    auto const whole = [&](std::size_t d) { return static_cast<unsigned>(std::bit_width(axes_[d].longest - 1)); };
    auto const all = tile_bits(word);
    auto columns = std::min(all / 2, whole(column_));
    auto rows = std::min(all - all / 2, whole(row_));
    auto const deep = std::min(all - columns - rows, whole(depth));
    rows = std::min(all - columns - deep, whole(row_));
    columns = std::min(all - rows - deep, whole(column_));
    table.row = static_cast<std::uint32_t>(row_);
    table.column = static_cast<std::uint32_t>(column_);
    table.depth = static_cast<std::uint32_t>(depth);
    table.axes[row_].step = rows;
    table.axes[column_].step = columns;
    table.axes[depth].step = deep;
  }

  // Boxes of one shape.
  void add(Batch alike, std::uint64_t limit) {
    if (is_empty(alike.front().count)) return;
    std::uint64_t count[most_axes], total = 1;
    for (std::size_t d = 0; d < rank_; ++d) total *= count[d] = words(d, alike.front().count);
    if (total >= limit) {
      for (auto const& p : alike) divide(p.from, p.to, count, limit);
      return;
    }
    auto const shape = shape_of(count, total);
    auto const its_blocks = static_cast<std::uint32_t>(blocks_of(shapes[shape]));
    for (auto const& p : alike) {
      boxes.push_back({p.from, p.to, blocks, shape, its_blocks});
      blocks += its_blocks;
    }
  }
  void add(std::byte const* from, std::byte* to, std::uint64_t (&count)[most_axes], std::uint64_t limit) {
    std::uint64_t total = 1;
    for (std::size_t d = 0; d < rank_; ++d) total *= count[d];
    if (total >= limit) return divide(from, to, count, limit);
    auto const shape = shape_of(count, total);
    auto const its_blocks = blocks_of(shapes[shape]);
    boxes.push_back({from, to, blocks, shape, static_cast<std::uint32_t>(its_blocks)});
    blocks += its_blocks;
  }
  // In two halves along the first axis that has them; of an axis with the bytes of elements, by whole elements and
  // words.
  void divide(std::byte const* from, std::byte* to, std::uint64_t (&count)[most_axes], std::uint64_t limit) {
    for (std::size_t d = 0; d < rank_; ++d) {
      auto const grain = has_bytes_ && d + 1 == rank_ ? std::uint64_t{table.fill_words.divisor} : 1;
      if (count[d] <= grain) continue;
      auto const whole = count[d], half = (whole / 2 + grain - 1) / grain * grain;
      count[d] = half;
      add(from, to, count, limit);
      count[d] = whole - half;
      auto const n = static_cast<std::int64_t>(half);
      add(from ? from + n * axes_[d].from : nullptr, to + n * axes_[d].to, count, limit);
      count[d] = whole;
      return;
    }
    throw Error{text({"an element of ", moved, " bytes cannot be divided"})};
  }
  std::uint32_t shape_of(std::uint64_t const (&count)[most_axes], std::uint64_t total) {
    auto const is_last = [&] {
      for (std::size_t d = 0; d < rank_; ++d)
        if (shapes.back().count[d] != count[d]) return false;
      return true;
    };
    if (shapes.empty() || !is_last()) {
      PlacedShape shape{};
      shape.words = static_cast<std::uint32_t>(total);
      for (std::size_t d = 0; d < rank_; ++d) {
        auto const step = table.axes[d].step;
        shape.count[d] = static_cast<std::uint32_t>(count[d]);
        shape.by_steps[d] = Division{((shape.count[d] - 1) >> step) + 1};
      }
      shapes.push_back(shape);
    }
    return static_cast<std::uint32_t>(shapes.size() - 1);
  }
  std::uint64_t blocks_of(PlacedShape const& shape) const {
    auto const words_per_block = placing_threads * words_per_thread(word);
    if (!tiled) return (shape.words - 1) / words_per_block + 1;
    std::uint64_t steps = 1;
    for (std::size_t d = 0; d < rank_; ++d) steps *= shape.by_steps[d].divisor;
    return steps;
  }

  JoinedAxis axes_[max_rank + 2];
  std::size_t rank_ = 0, row_ = 0, column_ = 0;
  std::uint64_t most_at_once_ = 16;  // bytes
  bool has_bytes_ = true;            // whether the last axis is of bytes of elements
  bool copies_ = false, fills_ = false;
  std::uint64_t addresses_ = 0;                            // all of them, or-ed
  std::vector<Placement<space::Device> const*> kinds_;     // the first of each run of boxes of one shape
  Extents most_;
};

}  // namespace detail
}}  // namespace tessera::v0
