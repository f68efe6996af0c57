// Whether parts of chunks are so small that a list of elements is placed sooner than they are.
#pragma once
#include <cstdint>

#include <tessera/core/dimensions.hpp>
#include <tessera/plan/touched_grid.hpp>
#include <tessera/plan/touched_runs.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// A box costs as much as a hundred elements of a list do, and each row of it as four.

inline bool is_scattered(TouchedRuns const& touched, std::uint64_t elements) {
  return elements / 100 <= touched.runs();
}

/// What is selected has that shape.
inline bool is_scattered(TouchedGrid const& touched, Extents const& shape) {
  if (!touched.has_lists()) return false;
  double row = 1, box = 1;
  bool is_row = true;  // as long as what is selected along the last dimensions, up to the first with a list
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
