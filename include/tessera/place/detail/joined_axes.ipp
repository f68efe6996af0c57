#pragma once
#include <tessera/place/detail/joined_axes.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <tessera/core/dimensions.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/placement_kinds.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::uint64_t JoinedAxis::length(Extents const& count) const {
  auto result = bytes;
  for (auto left = dimensions; left != 0; left &= left - 1)
    result *= count[static_cast<std::size_t>(std::countr_zero(left))];
  return result;
}

TESSERA_DECL void JoinedAxes::find(PlacementKinds const& kinds, PlacementForm const& form, std::uint64_t most_at_once) {
  sort(kinds, form);
  join(kinds);
  choose_word(kinds, most_at_once);
  count_words(kinds);
}

TESSERA_DECL void JoinedAxes::add_first() {
  std::copy_backward(axes_, axes_ + rank_, axes_ + rank_ + 1);
  axes_[0] = {};
  ++rank_;
}

TESSERA_DECL std::uint64_t JoinedAxes::words(std::size_t d, Extents const& count) const {
  auto const n = axes_[d].length(count);
  return has_bytes_ && d + 1 == rank_ ? n / word_ : n;
}

TESSERA_DECL void JoinedAxes::sort(PlacementKinds const& kinds, PlacementForm const& form) {
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

TESSERA_DECL void JoinedAxes::join(PlacementKinds const& kinds) {
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

TESSERA_DECL bool JoinedAxes::continues(JoinedAxis const& outer, JoinedAxis const& inner, Box const& box) {
  if (PlacementKinds::is_empty(box) || outer.length(box.count) == 1) return true;
  auto const n = static_cast<std::int64_t>(inner.length(box.count));
  return outer.to == inner.to * n && (!box.from || outer.from == inner.from * n);
}

TESSERA_DECL void JoinedAxes::choose_word(PlacementKinds const& kinds, std::uint64_t most_at_once) {
  auto together = most_at_once | kinds.addresses;
  for (auto const* box : kinds.firsts)
    if (!PlacementKinds::is_empty(*box)) together |= axes_[rank_ - 1].length(box->count);
  for (std::size_t d = 0; d + 1 < rank_; ++d)
    together |= static_cast<std::uint64_t>(axes_[d].from) | static_cast<std::uint64_t>(axes_[d].to);
  word_ = 1u << std::countr_zero(together);
}

TESSERA_DECL void JoinedAxes::count_words(PlacementKinds const& kinds) {
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

}}}  // namespace tessera::v0::detail
