// Ranges of one value that lie close together are read at once: a gap costs less than another request.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/config.hpp>

namespace tessera::inline v0 {

/// A range of a value, and which of many requests asks for it.
struct WantedRange {
  std::uint64_t offset, size;
  std::size_t request;
};

/// Sorts the ranges and calls read(std::span<WantedRange const>) for each run of them whose gaps are at most `gap`
/// bytes: about 256 on a local disk, 4 KiB or more where a request crosses a network. Ranges of a run may overlap.
/// Requires: no range ends beyond 2^64.
template <class F>
void for_each_run(std::span<WantedRange> ranges, std::uint64_t gap, F&& read) {
  std::ranges::sort(ranges, {}, &WantedRange::offset);
  for (std::size_t first = 0; first < ranges.size();) {
    auto last = first;
    std::uint64_t end = ranges[first].offset;
    while (last < ranges.size() && (ranges[last].offset <= end || ranges[last].offset - end <= gap)) {
      end = std::max(end, ranges[last].offset + ranges[last].size);
      ++last;
    }
    read(std::span<WantedRange const>{ranges.subspan(first, last - first)});
    first = last;
  }
}

}  // namespace tessera::inline v0
