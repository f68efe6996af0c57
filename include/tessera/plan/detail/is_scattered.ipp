#pragma once
#include <tessera/plan/detail/is_scattered.hpp>

#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/touched_grid.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL bool is_scattered(TouchedGrid const& touched, Extents const& shape) {
  if (!touched.has_lists()) return false;
  double row = 1, box = 1;
  bool is_row = true;  // until the last dimension with a list
  for (auto d = touched.rank(); d-- > 0;) {
    auto const runs = touched.axis(d).runs();
    auto const mean = runs == 0 ? 1 : static_cast<double>(shape[d]) / static_cast<double>(runs);
    box *= mean;
    if (is_row) row *= mean;
    is_row = is_row && !touched.axis(d).is_list();
  }
  return box < 100 + 4 * box / row;
}

}}}  // namespace tessera::v0::detail
