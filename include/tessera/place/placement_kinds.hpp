// What a batch of placements has in common, and which kinds of boxes it has.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/placement.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A kind are neighbours in the batch that have one shape, and all a source or all none: most chunks have the shape of
/// the one before, and what follows from it is worked out once for all of them. Used again and again, for it keeps its
/// memory.
struct PlacementKinds {
  using Box = Placement<space::Device>;
  using Batch = std::span<Box const>;

  std::vector<Box const*> firsts{};  ///< the first box of each kind
  bool copies = false, fills = false;
  Extents most{};                ///< the longest along each dimension, over all boxes
  std::uintptr_t addresses = 0;  ///< all of them, or-ed
  std::uint64_t bytes = 0;       ///< of all boxes

  void find(Batch batch, PlacementForm const& form) {
    firsts.clear();
    copies = fills = false;
    most = Extents::filled(form.to_strides.rank(), 1);
    addresses = 0;
    bytes = 0;
    std::uint64_t in_box = 0;
    for (auto const& box : batch) {
      if (firsts.empty() || !is_alike(*firsts.back(), box)) {
        firsts.push_back(&box);
        in_box = form.item_size;
        for (auto n : box.count) in_box *= n;
        if (in_box != 0) {
          (box.from ? copies : fills) = true;
          for (std::size_t d = 0; d < box.count.rank(); ++d) most[d] = std::max(most[d], box.count[d]);
        }
      }
      if (in_box == 0) continue;
      bytes += in_box;
      addresses |= reinterpret_cast<std::uintptr_t>(box.from) | reinterpret_cast<std::uintptr_t>(box.to);
    }
  }

  /// Calls f(boxes) for each kind that has elements.
  template <class F>
  void for_each(Batch batch, F&& f) const {
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      auto const* const end = i + 1 < firsts.size() ? firsts[i + 1] : batch.data() + batch.size();
      if (!is_empty(*firsts[i])) f(Batch{firsts[i], end});
    }
  }

  static bool is_empty(Box const& box) {
    return std::any_of(box.count.begin(), box.count.end(), [](auto n) { return n == 0; });
  }

 private:
  static bool is_alike(Box const& one, Box const& other) {
    return (one.from == nullptr) == (other.from == nullptr) && one.count == other.count;
  }
};

}}}  // namespace tessera::v0::detail
