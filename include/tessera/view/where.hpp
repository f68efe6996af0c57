// The places of elements that a condition holds for: what np.flatnonzero gives.
#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

/// Their numbers in the range, in its order. Of a coordinate they are indices to select by:
/// `array.read(Orthogonal{all, where(latitudes, [](double y) { return y >= 30 && y <= 70; })})`
template <class Range, class Condition>
std::vector<std::uint64_t> where(Range&& range, Condition&& holds) {
  std::vector<std::uint64_t> places;
  std::uint64_t place = 0;
  for (auto const& element : range) {
    if (std::invoke(holds, element)) places.push_back(place);
    ++place;
  }
  return places;
}

}}  // namespace tessera::v0
