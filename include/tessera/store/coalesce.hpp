// Ranges of one value that lie close together are read at once: a gap costs less than another request.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/config.hpp>
#include <tessera/core/runs.hpp>

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

/// Sorts the ranges. Returns the runs of them that are within the limits, for a loop; ranges of a run may overlap.
/// Requires: no range ends beyond 2^64.
inline auto runs_within(std::span<WantedRange> ranges, RangeLimits limits) {
  std::sort(ranges.begin(), ranges.end(), [](auto const& a, auto const& b) { return a.offset < b.offset; });
  return detail::Runs{ranges, [limits](std::span<WantedRange const> left) {
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
                      }};
}

}}  // namespace tessera::v0
