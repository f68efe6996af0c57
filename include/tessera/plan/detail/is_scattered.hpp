// is_scattered: whether a chunk's parts are so small that placing a list of elements is faster.
#pragma once
#include <cstdint>

#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/plan/detail/touched_grid.hpp>
#include <tessera/plan/detail/touched_runs.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// A box costs as much as 100 elements of a list, and each of its rows as much as 4.

inline bool is_scattered(TouchedRuns const& touched, std::uint64_t elements) {
  return elements / 100 <= touched.runs();
}

/// `shape` is the selection's.
TESSERA_DECL bool is_scattered(TouchedGrid const& touched, Extents const& shape);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/plan/detail/is_scattered.ipp>
#endif
