#pragma once
#include <tessera/place/detail/listed_table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>
#include <tessera/place/detail/listed.hpp>
#include <tessera/place/detail/placement_table.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void ListedPlan::add(std::byte const* from, std::byte* to, std::uint64_t limit) {
  std::uint64_t words = table.item_words.divisor;
  for (auto const& axis : axes_) words *= axis.count;
  auto const axis = std::find_if(axes_.begin(), axes_.end(), [](auto const& a) { return a.count > 1; });
  if (words >= limit && axis != axes_.end()) {
    auto const whole = *axis;
    auto const half = whole.count / 2;
    axis->count = half;
    add(from, to, limit);
    axis->count = whole.count - half;
    auto const n = static_cast<std::int64_t>(half);
    if (whole.is_list)
      axis->first_pair += half;
    else
      from = from ? from + n * whole.step.from : nullptr, to += n * whole.step.to;
    add(from, to, limit);
    *axis = whole;
    return;
  }
  boxes.push_back({from, to, blocks, static_cast<std::uint32_t>(words), static_cast<std::uint32_t>(axes.size()),
                   static_cast<std::uint32_t>(axes_.size())});
  for (auto const& one : axes_)
    axes.push_back({one.step, one.first_pair, Division{static_cast<std::uint32_t>(one.count)}, one.is_list});
  blocks += (words - 1) / (placing_threads * words_per_thread(word)) + 1;
}

}}}  // namespace tessera::v0::detail
