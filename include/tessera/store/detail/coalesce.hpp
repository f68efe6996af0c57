// runs_within: joins ranges of a value that lie close together, because a gap costs less than another request.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/runs.hpp>

namespace tessera { inline namespace v0 {

/// A range of a value, and the index of its request.
struct WantedRange {
  std::uint64_t offset, size;
  std::size_t request;
};

/// Limits of the ranges read at once.
struct RangeLimits {
  std::uint64_t max_gap;                   ///< maximum bytes between two ranges; the gap is read, too
  std::uint64_t most = ~std::uint64_t{0};  ///< maximum bytes of one read, unless a single range has more
};

/// The gap worth reading if a request crosses a network.
inline constexpr std::uint64_t usual_gap = 4096;  // bytes

namespace detail {

TESSERA_DECL void sort_by_offset(std::span<WantedRange> ranges);
/// The number of sorted ranges, from the first on, to read at once.
TESSERA_DECL std::size_t length_of_run(std::span<WantedRange const> left, RangeLimits const& limits);

}  // namespace detail

/// Sorts the ranges. Returns the runs within the limits, for a loop; ranges of a run may overlap. Requires: no range
/// ends beyond 2^64.
inline auto runs_within(std::span<WantedRange> ranges, RangeLimits limits) {
  detail::sort_by_offset(ranges);
  return detail::Runs{
      ranges, [limits](std::span<WantedRange const> left) { return detail::length_of_run(left, limits); }};
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/coalesce.ipp>
#endif
