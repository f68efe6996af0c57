#pragma once
#include <tessera/store/detail/coalesce.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void sort_by_offset(std::span<WantedRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](auto const& a, auto const& b) { return a.offset < b.offset; });
}

TESSERA_DECL std::size_t length_of_run(std::span<WantedRange const> left, RangeLimits const& limits) {
  auto const begin = left.front().offset;
  auto end = begin + left.front().size;
  std::size_t count = 1;
  for (; count < left.size(); ++count) {
    auto const& next = left[count];
    auto const longer = std::max(end, next.offset + next.size);
    bool const is_close = next.offset <= end || next.offset - end <= limits.max_gap;
    if (!is_close || longer - begin > limits.most) break;
    end = longer;
  }
  return count;
}

}}}  // namespace tessera::v0::detail
