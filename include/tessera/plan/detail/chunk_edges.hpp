// ChunkEdges: the chunk lengths along one dimension of a rectilinear grid (specification: chunk-grids/rectilinear).
#pragma once
#include <cstdint>
#include <vector>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

/// Consecutive chunks of one length.
struct EdgeRun {
  std::uint64_t length, count;
  friend bool operator==(EdgeRun const&, EdgeRun const&) = default;
};

/// The chunk lengths of one dimension, as runs, which are never expanded: a run may have any number of chunks.
struct ChunkEdges {
  std::vector<EdgeRun> runs;  ///< neighbours have different lengths
  bool repeats = false;       ///< there is one run, repeated over the whole dimension

  void add(EdgeRun run);
  std::uint64_t longest() const;
  friend bool operator==(ChunkEdges const&, ChunkEdges const&) = default;
};

namespace detail {

/// Neighbouring chunks of one length, with their elements inside the array.
struct AxisPart {
  std::uint64_t first, first_chunk;  ///< first element and first chunk
  std::uint64_t chunk, elements;     ///< length of a chunk; elements of all chunks
  std::uint64_t end() const { return first + elements; }
  std::uint64_t chunks() const { return elements / chunk + (elements % chunk != 0); }
};

/// One dimension of an array. The part of an element is found by binary search, its chunk within the part by division.
class ChunkAxis {
 public:
  ChunkAxis(ChunkEdges const& edges, std::uint64_t length);

  struct Placed {
    std::uint64_t first, elements;
  };

  /// Neighbouring chunks of one length, in order; only those that have elements of the array.
  std::vector<AxisPart> const& parts() const { return parts_; }
  /// The number of chunks that have elements of the array.
  std::uint64_t chunks() const;
  /// The end of the last such chunk, at or beyond the end of the array.
  std::uint64_t end() const;
  /// The chunk of an element. Requires: the element is in the array.
  std::uint64_t chunk_of(std::uint64_t element) const;
  /// The part of an element. Requires: the element is in the array.
  AxisPart const& part_of(std::uint64_t element) const;
  /// The part of a chunk. Requires: chunk < chunks().
  AxisPart const& part_of_chunk(std::uint64_t chunk) const;
  /// A chunk's first element, and its number of elements in the array. Requires: chunk < chunks().
  Placed chunk(std::uint64_t chunk) const;

 private:
  void add(std::uint64_t first, std::uint64_t chunk, std::uint64_t length, std::uint64_t elements);

  std::vector<AxisPart> parts_;
};

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/plan/detail/chunk_edges.ipp>
#endif
