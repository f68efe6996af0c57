// The kernels that place in tiles, compiled for registers.py alone.
#include <tessera/memory/launch.cuh>
#include <tessera/place/detail/place_tiles.cuh>

using tessera::detail::PlaceTiles;

template __global__ void tessera::detail::call_blocks(__grid_constant__ PlaceTiles<1> const, std::uint64_t);
template __global__ void tessera::detail::call_blocks(__grid_constant__ PlaceTiles<2> const, std::uint64_t);
template __global__ void tessera::detail::call_blocks(__grid_constant__ PlaceTiles<4> const, std::uint64_t);
template __global__ void tessera::detail::call_blocks(__grid_constant__ PlaceTiles<8> const, std::uint64_t);
template __global__ void tessera::detail::call_blocks(__grid_constant__ PlaceTiles<16> const, std::uint64_t);
