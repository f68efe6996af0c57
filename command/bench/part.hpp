// The part of a region that is measured: whole chunks from its middle, within a budget of memory.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../source.hpp"

namespace cli {

/// Elements of one part touch no more chunks than this, whatever their size.
inline constexpr std::uint64_t most_chunks_measured = std::uint64_t{1} << 16;

namespace detail {

// Keeps the middle half of the chunks along a dimension. False: there is one.
inline bool halve(tessera::Region& region, std::size_t d, std::uint64_t length) {
  auto &first = region.first[d], &count = region.count[d];
  auto const step = region.step[d];
  if (count < 2) return false;
  if (step >= length) {  // no two indices share a chunk
    auto const kept = (count + 1) / 2;
    first += (count - kept) / 2 * step;
    count = kept;
    return true;
  }
  auto const from = first / length, chunks = (first + (count - 1) * step) / length - from + 1;
  if (chunks < 2) return false;
  auto const kept = (chunks + 1) / 2;
  auto const begin = (from + (chunks - kept) / 2) * length, end = begin + kept * length;
  auto const below = [&](std::uint64_t index) {  // how many of the region's indices are in it
    return index <= first ? 0 : std::min(count, (index - first - 1) / step + 1);
  };
  auto const skipped = below(begin);
  count = below(end) - skipped;
  first += skipped * step;
  return true;
}

}  // namespace detail

/// Shards stay whole, if one fits. Requires: the region has elements.
inline tessera::Region middle_of(tessera::Region region, Array const& array, std::uint64_t budget) {
  auto const each = size_in_bytes(array.inner_chunk_shape(), array.type());
  auto const is_small = [&] {
    auto const chunks = chunks_touched(region, array.inner_chunk_shape());
    return chunks <= most_chunks_measured && chunks <= budget / each;
  };
  for (auto const* shape : {&array.chunk_shape(), &array.inner_chunk_shape()})
    for (std::size_t d = 0; d < shape->rank();)
      if (is_small() || !detail::halve(region, d, (*shape)[d])) ++d;
  return region;
}

}  // namespace cli
