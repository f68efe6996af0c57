// BoxDivider: divides boxes among the blocks of one kernel.
#pragma once
#include <cstdint>
#include <vector>

#include <tessera/place/detail/joined_axes.hpp>
#include <tessera/place/detail/placement_kinds.hpp>
#include <tessera/place/detail/placement_table.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Appends boxes and shapes to a plan's, and counts their blocks.
struct BoxDivider {
  using Box = PlacementKinds::Box;
  using Batch = PlacementKinds::Batch;

  JoinedAxes const& axes;
  PlacementTable const& table;  ///< its axes and fill_words must be set
  bool tiled;
  std::uint64_t limit;  ///< a box of this many words or more is divided
  std::uint64_t moved;  ///< bytes of the batch
  std::vector<PlacedBox>& boxes;
  std::vector<PlacedShape>& shapes;
  std::uint64_t blocks = 0;

  /// Adds boxes of one shape. Throws: Error, if one element has as many words as the limit.
  void add(Batch alike);

 private:
  // Adds boxes of `count` words along each axis that begin at `begins`.
  void add(Batch begins, std::uint64_t (&count)[most_axes]);
  // Halves a box along the first axis that allows it; an axis of element bytes only between whole elements and words.
  void divide(Box const& begin, std::uint64_t (&count)[most_axes]);
  std::uint32_t shape_of(std::uint64_t const (&count)[most_axes], std::uint64_t total);
  std::uint64_t blocks_of(PlacedShape const& shape) const;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/place/detail/box_divider.ipp>
#endif
