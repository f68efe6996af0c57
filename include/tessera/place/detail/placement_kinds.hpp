// PlacementKinds: the common properties of a batch of placements, and its kinds of boxes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/placement.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A kind: consecutive boxes of one shape, all with or all without a source. Most chunks have the shape of the one
/// before, so its results are computed once. Reused, to keep its memory.
struct PlacementKinds {
  using Box = Placement<space::Device>;
  using Batch = std::span<Box const>;

  std::vector<Box const*> firsts{};  ///< the first box of each kind
  bool copies = false, fills = false;
  Extents most{};                ///< the longest along each dimension, over all boxes
  std::uintptr_t addresses = 0;  ///< all of them, or-ed
  std::uint64_t bytes = 0;       ///< of all boxes

  void find(Batch batch, PlacementForm const& form);

  /// Calls f(boxes) for each kind that has elements.
  template <class F>
  void for_each(Batch batch, F&& f) const {
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      auto const* const end = i + 1 < firsts.size() ? firsts[i + 1] : batch.data() + batch.size();
      if (!is_empty(*firsts[i])) f(Batch{firsts[i], end});
    }
  }

  static bool is_empty(Box const& box);

 private:
  static bool is_alike(Box const& one, Box const& other);
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/place/detail/placement_kinds.ipp>
#endif
