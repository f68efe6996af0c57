#pragma once
#include <tessera/place/detail/placement_kinds.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tessera/core/dimensions.hpp>
#include <tessera/place/detail/placement.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void PlacementKinds::find(Batch batch, PlacementForm const& form) {
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

TESSERA_DECL bool PlacementKinds::is_empty(Box const& box) {
  return std::any_of(box.count.begin(), box.count.end(), [](auto n) { return n == 0; });
}

TESSERA_DECL bool PlacementKinds::is_alike(Box const& one, Box const& other) {
  return (one.from == nullptr) == (other.from == nullptr) && one.count == other.count;
}

}}}  // namespace tessera::v0::detail
