// The lengths of chunks along one dimension of a rectilinear grid (specification: chunk-grids/rectilinear).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 {

/// Chunks of one length, one after the other.
struct EdgeRun {
  std::uint64_t length, count;
  friend bool operator==(EdgeRun const&, EdgeRun const&) = default;
};

/// Of one dimension. Run lengths are never written out: a run may have any number of chunks.
struct ChunkEdges {
  std::vector<EdgeRun> runs;  ///< neighbours have different lengths
  bool repeats = false;       ///< one run alone, of as many chunks as the dimension needs

  void add(EdgeRun run) {
    if (!runs.empty() && runs.back().length == run.length)
      runs.back().count += run.count;
    else
      runs.push_back(run);
  }
  std::uint64_t longest() const {
    std::uint64_t most = 1;  // of no chunk at all, too
    for (auto const& run : runs) most = std::max(most, run.length);
    return most;
  }
  friend bool operator==(ChunkEdges const&, ChunkEdges const&) = default;
};

namespace detail {

/// Neighbouring chunks of one length, as far as the array has elements in them.
struct AxisPart {
  std::uint64_t first, first_chunk;  ///< element and chunk
  std::uint64_t chunk, elements;     ///< a chunk's length, and of all of them
  std::uint64_t end() const { return first + elements; }
  std::uint64_t chunks() const { return elements / chunk + (elements % chunk != 0); }
};

/// One dimension of an array of that length. Which chunk an element is in is arithmetic within a part, and parts are
/// found by a binary search.
class ChunkAxis {
 public:
  ChunkAxis(ChunkEdges const& edges, std::uint64_t length) {
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

  struct Placed {
    std::uint64_t first, elements;
  };

  std::vector<AxisPart> const& parts() const { return parts_; }
  /// How many chunks have elements of the array.
  std::uint64_t chunks() const { return parts_.empty() ? 0 : parts_.back().first_chunk + parts_.back().chunks(); }
  /// Where the last of them ends, beyond the array or with it.
  std::uint64_t end() const {
    return parts_.empty() ? 0 : parts_.back().first + parts_.back().chunks() * parts_.back().chunk;
  }
  /// The chunk of an element, which the array has.
  std::uint64_t chunk_of(std::uint64_t element) const {
    auto const& part = part_of(element);
    return part.first_chunk + (element - part.first) / part.chunk;
  }
  /// The part that has an element, which the array has.
  AxisPart const& part_of(std::uint64_t element) const {
    return *(std::upper_bound(parts_.begin(), parts_.end(), element,
                              [](std::uint64_t n, AxisPart const& part) { return n < part.first; }) -
             1);
  }
  /// A chunk's first element, and how many elements of the array it has. Requires: chunk < chunks().
  Placed chunk(std::uint64_t chunk) const {
    auto const& part = *(std::upper_bound(parts_.begin(), parts_.end(), chunk,
                                          [](std::uint64_t n, AxisPart const& one) { return n < one.first_chunk; }) -
                         1);
    auto const before = (chunk - part.first_chunk) * part.chunk;
    return {part.first + before, std::min(part.chunk, part.elements - before)};
  }

 private:
  void add(std::uint64_t first, std::uint64_t chunk, std::uint64_t length, std::uint64_t elements) {
    if (elements > 0) parts_.push_back({first, chunk, length, elements});
  }

  std::vector<AxisPart> parts_;
};

}  // namespace detail
}}  // namespace tessera::v0
