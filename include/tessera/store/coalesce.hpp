// Ranges of one value that lie close together are read at once: a gap costs less than another request.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

/// A range of a value, and which of many requests asks for it.
struct WantedRange {
  std::uint64_t offset, size;
  std::size_t request;
};

/// Which ranges of a value are read at once.
struct RangeLimits {
  std::uint64_t max_gap;                   ///< bytes between two of them, at most, which are read along
  std::uint64_t most = ~std::uint64_t{0};  ///< bytes of all that is read at once; a single range may have more
};

/// What is worth reading along where a request crosses a network.
inline constexpr std::uint64_t usual_gap = 4096;  // bytes

/// Sorts the ranges and calls read(std::span<WantedRange const>) for each run of them that is within the limits. Ranges
/// of a run may overlap. Requires: no range ends beyond 2^64.
template <class F>
void for_each_run(std::span<WantedRange> ranges, RangeLimits limits, F&& read) {
  std::sort(ranges.begin(), ranges.end(), [](auto const& a, auto const& b) { return a.offset < b.offset; });
  for (std::size_t first = 0; first < ranges.size();) {
    auto last = first;
    auto const begin = ranges[first].offset;
    auto end = begin;
    for (; last < ranges.size(); ++last) {
      auto const& next = ranges[last];
      auto const longer = std::max(end, next.offset + next.size);
      bool const is_close = next.offset <= end || next.offset - end <= limits.max_gap;
      if (last > first && (!is_close || longer - begin > limits.most)) break;
      end = longer;
    }
    read(std::span<WantedRange const>{ranges.subspan(first, last - first)});
    first = last;
  }
}

}}  // namespace tessera::v0
