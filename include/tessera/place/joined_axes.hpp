// The axes of a batch of placements: dimensions that continue each other in every box, on both sides, are one axis.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <tessera/core/dimensions.hpp>
#include <tessera/place/placement.hpp>
#include <tessera/place/placement_kinds.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Dimensions that continue each other, the last of them with the strides of all.
struct JoinedAxis {
  std::int64_t from = 0, to = 0;  ///< bytes
  std::uint32_t dimensions = 0;   ///< bit d: dimension d of the boxes
  std::uint64_t bytes = 1;        ///< of the element, if they are part of it
  std::uint64_t longest = 1;      ///< words, over all boxes

  std::uint64_t length(Extents const& count) const {
    auto result = bytes;
    for (auto left = dimensions; left != 0; left &= left - 1)
      result *= count[static_cast<std::size_t>(std::countr_zero(left))];
    return result;
  }
};

/// In the order of the destination, the densest last: the bytes of elements, until they are one word.
class JoinedAxes {
 public:
  /// Words have `most_at_once` bytes at most.
  void find(PlacementKinds const& kinds, PlacementForm const& form, std::uint64_t most_at_once) {
    sort(kinds, form);
    join(kinds);
    choose_word(kinds, most_at_once);
    count_words(kinds);
  }
  /// One of length 1, before all others.
  void add_first() {
    std::copy_backward(axes_, axes_ + rank_, axes_ + rank_ + 1);
    axes_[0] = {};
    ++rank_;
  }

  std::size_t rank() const { return rank_; }
  JoinedAxis const& operator[](std::size_t d) const { return axes_[d]; }
  unsigned word() const { return word_; }        ///< bytes that are read and written at once
  bool has_bytes() const { return has_bytes_; }  ///< the last axis is of bytes of elements: several are in a word
  std::uint64_t words(std::size_t d, Extents const& count) const {
    auto const n = axes_[d].length(count);
    return has_bytes_ && d + 1 == rank_ ? n / word_ : n;
  }

 private:
  using Box = PlacementKinds::Box;

  // The longest destination stride first, and the bytes of the element last. Lengths that are 1 everywhere are left
  // out.
  void sort(PlacementKinds const& kinds, PlacementForm const& form) {
    rank_ = 0;
    for (std::size_t d = 0; d < kinds.most.rank(); ++d) {
      if (kinds.most[d] == 1) continue;
      auto at = rank_++;
      for (; at > 0 && std::abs(axes_[at - 1].to) < std::abs(form.to_strides[d]); --at) axes_[at] = axes_[at - 1];
      axes_[at] = {kinds.copies ? form.from_strides[d] : 0, form.to_strides[d], std::uint32_t{1} << d};
    }
    axes_[rank_++] = {1, 1, 0, form.item_size};
    has_bytes_ = true;
  }

  void join(PlacementKinds const& kinds) {
    for (auto d = rank_ - 1; d-- > 0;) {
      auto const& outer = axes_[d];
      auto const& inner = axes_[d + 1];
      auto const continues_in = [&](Box const* box) { return continues(outer, inner, *box); };
      if (!std::all_of(kinds.firsts.begin(), kinds.firsts.end(), continues_in)) continue;
      axes_[d + 1].dimensions |= outer.dimensions;
      std::copy(axes_ + d + 1, axes_ + rank_, axes_ + d);
      --rank_;
    }
  }
  static bool continues(JoinedAxis const& outer, JoinedAxis const& inner, Box const& box) {
    if (PlacementKinds::is_empty(box) || outer.length(box.count) == 1) return true;
    auto const n = static_cast<std::int64_t>(inner.length(box.count));
    return outer.to == inner.to * n && (!box.from || outer.from == inner.from * n);
  }

  // The largest that addresses, strides and lengths all are multiples of.
  void choose_word(PlacementKinds const& kinds, std::uint64_t most_at_once) {
    auto together = most_at_once | kinds.addresses;
    for (auto const* box : kinds.firsts)
      if (!PlacementKinds::is_empty(*box)) together |= axes_[rank_ - 1].length(box->count);
    for (std::size_t d = 0; d + 1 < rank_; ++d)
      together |= static_cast<std::uint64_t>(axes_[d].from) | static_cast<std::uint64_t>(axes_[d].to);
    word_ = 1u << std::countr_zero(together);
  }

  void count_words(PlacementKinds const& kinds) {
    for (std::size_t d = 0; d < rank_; ++d) axes_[d].longest = 1;
    for (auto const* box : kinds.firsts)
      if (!PlacementKinds::is_empty(*box))
        for (std::size_t d = 0; d < rank_; ++d) axes_[d].longest = std::max(axes_[d].longest, words(d, box->count));
    if (axes_[rank_ - 1].longest == 1) {
      --rank_;
      has_bytes_ = false;
    } else {
      axes_[rank_ - 1].from = axes_[rank_ - 1].to = static_cast<std::int64_t>(word_);
    }
  }

  JoinedAxis axes_[max_rank + 2];
  std::size_t rank_ = 0;
  unsigned word_ = 1;
  bool has_bytes_ = true;
};

}}}  // namespace tessera::v0::detail
