// The kernels of edges.cpp. They count in whole numbers, so that every processor finds the same edges, bit for bit.
#pragma once
#include <cmath>
#include <cstdint>

#include <tessera/core/config.hpp>
#include <tessera/view/array_view.hpp>

/// A volume in device memory, and the place of its i-th voxel.
template <class T>
using Volume = tessera::ArrayView<T, 3, tessera::space::Device>;

/// The i-th voxel of a volume along one axis: its neighbours there; those beyond the border equal the border's.
template <class T>
struct Line {
  T const* voxel;
  std::int64_t at, length, stride;

  TESSERA_HOST_DEVICE Line(Volume<T> const& volume, std::uint64_t i, int axis)
      : voxel{volume.data + i},
        at{static_cast<std::int64_t>(i) / volume.strides[axis] % static_cast<std::int64_t>(volume.shape[axis])},
        length{static_cast<std::int64_t>(volume.shape[axis])},
        stride{volume.strides[axis]} {}

  TESSERA_HOST_DEVICE int neighbour(std::int64_t offset) const {
    auto const beyond = at + offset;
    auto const inside = beyond < 0 ? 0 : beyond < length ? beyond : length - 1;
    return voxel[(inside - at) * stride];
  }
};

/// Sixteen times the mean of five neighbours along an axis, weighted 1 4 6 4 1: close to a Gaussian with a width of one
/// voxel.
template <class T>
struct Smooth {
  Volume<T> from;
  int* to;
  int axis;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    Line const line{from, i, axis};
    to[i] =
        line.neighbour(-2) + 4 * line.neighbour(-1) + 6 * line.neighbour(0) + 4 * line.neighbour(1) + line.neighbour(2);
  }
};

/// The steepness of a volume that was smoothed along its three axes: the length of its gradient, in units of t1 per
/// voxel.
struct Steepness {
  Volume<int> from;
  float* to;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    std::int64_t squares = 0;
    for (int axis = 0; axis < 3; ++axis) {
      Line const line{from, i, axis};
      std::int64_t const slope = line.neighbour(1) - line.neighbour(-1);  // over two voxels, 16^3 times too much
      squares += slope * slope;
    }
    to[i] = static_cast<float>(std::sqrt(static_cast<double>(squares)) / (2 * 16 * 16 * 16));
  }
};
