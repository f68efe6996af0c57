// Partition: which elements of an array belong to which rank.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/view/box.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Neighbouring indices along one dimension: `count` from `first` on. `at`: the place of the first in a rank's memory.
struct IndexRun {
  std::uint64_t first, count, at;
};
/// Ascending along each dimension, with at least one index between two runs.
using IndexRuns = std::vector<IndexRun>;
/// Elements of a rank: every combination of the indices of each dimension.
using RankPart = std::vector<IndexRuns>;

/// `first`, and the index after the last, along each dimension.
struct IndexBounds {
  Extents first, stop;
};

}  // namespace detail

/// Options of a Partition of blocks.
struct PartitionOptions {
  /// Blocks begin at multiples of these lengths, in elements: `array.chunk_shape()` gives each stored value to one
  /// rank. Empty: anywhere.
  Extents align{};
  /// How many blocks along each dimension, as MPI_Cart_create takes it; their product is the number of ranks. Empty:
  /// computed, for blocks that are nearly cubes.
  Extents grid{};
  /// Elements of neighbours that a rank's memory also has, on each side of each dimension. They are read, and not
  /// written. At the array's border there are none. Empty: 0.
  Extents halo{};
};

/// Each element of an array belongs to one rank, or to none. The same on every rank: nothing is communicated. The rank
/// at a place of the grid is that of MPI_Cart_create without reordering: the last dimension counts fastest.
class Partition {
 public:
  /// One block for each rank. Ranks that get no element have an empty one. Throws: SelectionError, if the options do
  /// not fit shape and ranks.
  static Partition blocks(Extents const& shape, int ranks, PartitionOptions const& options = {});
  /// Blocks of a fixed shape are assigned to the ranks in turn, along each dimension, as in ScaLAPACK. A rank's memory
  /// has its blocks next to each other. `grid` is that of PartitionOptions. Throws: SelectionError.
  static Partition cyclic(Extents const& shape, int ranks, Extents const& block, Extents const& grid = {});
  /// The program's own boxes, one for each rank in order, with steps of 1. Throws: SelectionError, if two of them
  /// overlap or one lies outside.
  static Partition boxes(Extents const& shape, std::span<Box const> boxes, Extents const& halo = {});

  Extents const& shape() const { return shape_; }  ///< of the array, in elements
  int ranks() const { return ranks_; }  ///< among which it is divided
  Extents const& grid() const { return grid_; }  ///< blocks along each dimension; empty for the program's own boxes
  /// The elements that a rank writes. Throws: SelectionError, if they are several boxes (`cyclic`).
  Box local_box(int rank) const;
  /// The elements in a rank's memory: those that it writes, and the halo. Throws: as local_box.
  Box memory_box(int rank) const;
  Extents memory_shape(int rank) const;  ///< of a rank's memory, in elements
  /// Whether the memory of a rank has elements that another one writes.
  bool has_halo() const;

  /// For detail/: the elements that a rank writes, or those of its memory, placed in its memory.
  detail::RankPart part_of(int rank, bool with_halo) const;
  /// For detail/: whether two ranks with elements have different indices along dimension d.
  bool divides(std::size_t d) const;
  /// For detail/: a number that differs between different partitions.
  std::uint64_t fingerprint() const;
  /// For detail/: calls f for each rank with such elements within the bounds, in order.
  void for_each_rank(detail::IndexBounds const& within, bool with_halo, FunctionRef<void(int)> f) const;

 private:
  Partition(Extents const& shape, int ranks, Extents const& halo);
  void expect_rank(int rank) const;
  Box box_of(int rank, bool with_halo) const;
  detail::IndexRuns with_halo_at(detail::IndexRuns runs, std::size_t d, bool with_halo) const;

  Extents shape_, halo_, grid_{};
  int ranks_;
  std::vector<std::vector<detail::IndexRuns>> axes_{};  // of each place along each dimension of the grid
  std::vector<detail::IndexBounds> boxes_{};            // without a grid
};

}}  // namespace tessera::v0

#include <tessera/parallel/detail/partition.ipp>
