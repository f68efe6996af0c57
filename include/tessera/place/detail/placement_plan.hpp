// PlacementPlan: prepares a batch of placements on the host for one kernel launch.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/place/detail/joined_axes.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/placement_kinds.hpp>
#include <tessera/place/detail/placement_table.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Reused, to keep its vectors' memory.
class PlacementPlan {
 public:
  using Batch = PlacementKinds::Batch;

  /// Divides boxes of `limit` words or more: numbers of words are below 2^31 in kernels. `whole`: a word stands for an
  /// element, whatever its size on either side, and the form's item_size is 1. Throws: Error, if boxes have more axes
  /// than kernels support, or a device cannot place the elements.
  void make(Batch batch, PlacementForm const& form, std::uint64_t limit = most_words, bool whole = false);

  PlacementTable table;  ///< without its variable parts
  std::vector<PlacedBox> boxes;
  std::vector<PlacedShape> shapes;
  std::vector<std::byte> fill;  ///< whole words of whole elements; empty if no box is filled
  std::uint64_t blocks = 0;     ///< of the kernel
  std::uint64_t moved = 0;      ///< bytes
  unsigned word = 1;            ///< bytes read and written at once
  bool tiled = false;

 private:
  void expect_placeable(PlacementForm const& form) const;
  void set_swapping(PlacementForm const& form);
  void repeat_fill(PlacementForm const& form);

  PlacementKinds kinds_;
  JoinedAxes axes_;
};

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/place/detail/placement_plan.ipp>
#endif
