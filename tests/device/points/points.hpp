// Selections in device memory, which need Thrust: on the emulated runtime its sequential backend.
#pragma once
#if !defined(__CUDACC__)  // Thrust names the toolkit's vectors
#include <vector_types.h>
#undef __host__
#undef __device__
#undef __global__
#endif
#include <cstdint>
#include <vector>

#include <device/arrays.hpp>
#include <support/random.hpp>
#include <support/reference.hpp>
#include <support/refused.hpp>
#include <tessera/with/device_selections.cuh>

namespace test {

using Coordinates = std::vector<std::int64_t>;

/// A row of coordinates for each point.
inline auto points_on_device(Coordinates const& coordinates, std::size_t rank, DeviceQueue& on) {
  return on_device<std::int64_t, 2>(coordinates, {rank == 0 ? 0 : coordinates.size() / rank, rank}, on);
}

/// Points of the array, in runs, jumps and repeats.
inline Coordinates random_coordinates(Random& random, Extents const& shape, std::size_t count) {
  Coordinates result;
  std::size_t const rank = shape.rank();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t d = 0; d < rank; ++d) {
      auto const before = result.size() < rank ? 0 : static_cast<std::uint64_t>(result[result.size() - rank]);
      auto const index = random.one_in(3) ? random(0, shape[d] - 1) : (before + (d + 1 == rank)) % shape[d];
      result.push_back(static_cast<std::int64_t>(index));
    }
  return result;
}

inline std::vector<Extents> places_of(Coordinates const& coordinates, std::size_t rank) {
  std::vector<Extents> places;
  for (std::size_t i = 0; i + rank <= coordinates.size(); i += rank) {
    Extents place;
    for (std::size_t d = 0; d < rank; ++d) place.push_back(static_cast<std::uint64_t>(coordinates[i + d]));
    places.push_back(place);
  }
  return places;
}

}  // namespace test
