// ChunkNumbers: numbers of chunks, in the order of a plan.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Counts from 0 at the origin: group by group in C order, and in C order within a group.
class ChunkNumbers {
 public:
  ChunkNumbers() = default;
  /// For a part of a grid that begins at a group. Groups at its end are cut off. Throws: SelectionError, if 64 bits
  /// cannot count its chunks.
  ChunkNumbers(Extents const& grid, Extents const& group, Extents const& origin);
  ChunkNumbers(Extents const& grid, Extents const& group)
      : ChunkNumbers{grid, group, Extents::filled(grid.rank(), 0)} {}

  std::uint64_t count() const { return count_; }
  /// Whether a chunk's number is the sum of (index - origin(d)) * behind(d) over all dimensions.
  bool is_c_order() const { return is_c_order_; }
  std::uint64_t behind(std::size_t d) const { return behind_[d]; }
  std::uint64_t origin(std::size_t d) const { return origin_[d]; }

  // The groups before an index of the first dimension have behind_[0] chunks for each earlier index. The same holds
  // along each next dimension, among the groups that share the earlier dimensions.
  std::uint64_t number(Extents const& chunk) const;
  Extents chunk(std::uint64_t number) const;

 private:
  Extents grid_, group_, behind_, origin_;  // behind_: chunks per index of a dimension
  std::uint64_t count_ = 1;
  bool is_c_order_ = true;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/plan/detail/chunk_numbers.ipp>
#endif
