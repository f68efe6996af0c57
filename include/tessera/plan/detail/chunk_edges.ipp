#pragma once
#include <tessera/plan/detail/chunk_edges.hpp>

#include <algorithm>
#include <cstdint>

namespace tessera { inline namespace v0 {

TESSERA_DECL void ChunkEdges::add(EdgeRun run) {
  if (!runs.empty() && runs.back().length == run.length)
    runs.back().count += run.count;
  else
    runs.push_back(run);
}

TESSERA_DECL std::uint64_t ChunkEdges::longest() const {
  std::uint64_t most = 1;  // also without chunks
  for (auto const& run : runs) most = std::max(most, run.length);
  return most;
}

namespace detail {

TESSERA_DECL ChunkAxis::ChunkAxis(ChunkEdges const& edges, std::uint64_t length) {
  if (edges.repeats) {
    add(0, 0, edges.runs.front().length, length);
    return;
  }
  std::uint64_t first = 0, chunk = 0;
  for (auto const& [each, count] : edges.runs) {
    if (first == length) return;
    auto const left = length - first;
    add(first, chunk, each, left / each < count ? left : each * count);
    first = parts_.back().end();
    chunk += count;
  }
}

TESSERA_DECL std::uint64_t ChunkAxis::chunks() const {
  return parts_.empty() ? 0 : parts_.back().first_chunk + parts_.back().chunks();
}

TESSERA_DECL std::uint64_t ChunkAxis::end() const {
  return parts_.empty() ? 0 : parts_.back().first + parts_.back().chunks() * parts_.back().chunk;
}

TESSERA_DECL std::uint64_t ChunkAxis::chunk_of(std::uint64_t element) const {
  auto const& part = part_of(element);
  return part.first_chunk + (element - part.first) / part.chunk;
}

TESSERA_DECL AxisPart const& ChunkAxis::part_of(std::uint64_t element) const {
  return *(std::upper_bound(parts_.begin(), parts_.end(), element,
                            [](std::uint64_t n, AxisPart const& part) { return n < part.first; }) -
           1);
}

TESSERA_DECL AxisPart const& ChunkAxis::part_of_chunk(std::uint64_t chunk) const {
  return *(std::upper_bound(parts_.begin(), parts_.end(), chunk,
                            [](std::uint64_t n, AxisPart const& one) { return n < one.first_chunk; }) -
           1);
}

TESSERA_DECL ChunkAxis::Placed ChunkAxis::chunk(std::uint64_t chunk) const {
  auto const& part = part_of_chunk(chunk);
  auto const before = (chunk - part.first_chunk) * part.chunk;
  return {part.first + before, std::min(part.chunk, part.elements - before)};
}

TESSERA_DECL void ChunkAxis::add(std::uint64_t first, std::uint64_t chunk, std::uint64_t length,
                                 std::uint64_t elements) {
  if (elements > 0) parts_.push_back({first, chunk, length, elements});
}

}  // namespace detail

}}  // namespace tessera::v0
