// indices_where: the positions of elements that satisfy a condition, like np.flatnonzero.
#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

/// Positions in the range, in order. For a coordinate they are indices for a selection:
/// `array.read(Orthogonal{all, indices_where(latitudes, [](double y) { return y >= 30 && y <= 70; })})`
template <class Range, class Condition>
std::vector<std::uint64_t> indices_where(Range&& range, Condition&& holds) {
  std::vector<std::uint64_t> places;
  std::uint64_t place = 0;
  for (auto const& element : range) {
    if (std::invoke(holds, element)) places.push_back(place);
    ++place;
  }
  return places;
}
template <class Range, class Condition>
[[deprecated("tessera: where was renamed indices_where")]] std::vector<std::uint64_t> where(Range&& range,
                                                                                          Condition&& holds) {
  return indices_where(range, holds);
}

}}  // namespace tessera::v0
