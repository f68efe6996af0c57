// The kernel of out_of_core.cpp, the blocks of a volume, and a picture of where a cache had its chunks.
#pragma once
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/box.hpp>

/// The mean of a voxel and its neighbours along the first axis. `from` may be longer there: it begins `before` indices
/// ahead of `to`.
struct Mean {
  tessera::ArrayView<std::uint8_t, 3, tessera::space::Device> from;
  tessera::ArrayView<std::uint8_t, 3, tessera::space::Device> to;
  std::uint64_t before;

  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    auto const plane = to.shape[1] * to.shape[2], y = i % plane / to.shape[2], z = i % to.shape[2];
    auto const x = i / plane + before, last = from.shape[0] - 1;
    int const sum = from.in_kernel(x == 0 ? 0 : x - 1, y, z) + from.in_kernel(x, y, z) +
                    from.in_kernel(x == last ? last : x + 1, y, z);
    to.in_kernel(i / plane, y, z) = static_cast<std::uint8_t>(sum / 3);
  }
};

/// The same on the host, for a whole volume.
inline std::vector<std::uint8_t> mean_of(std::vector<std::uint8_t> const& from, tessera::Extents const& shape) {
  auto const plane = shape[1] * shape[2];
  std::vector<std::uint8_t> to(from.size());
  for (std::uint64_t i = 0; i < from.size(); ++i) {
    auto const x = i / plane;
    int const sum = from[x == 0 ? i : i - plane] + from[i] + from[x + 1 == shape[0] ? i : i + plane];
    to[i] = static_cast<std::uint8_t>(sum / 3);
  }
  return to;
}

struct Block {
  tessera::Slice slices[3];
};
/// Along the first axis one after the other: neighbours there need the same chunks.
inline std::vector<Block> blocks_of(tessera::Extents const& shape, tessera::Extents const& size) {
  std::vector<Block> blocks;
  auto const slice = [&](std::size_t d, std::uint64_t at) {
    return tessera::Slice{at, std::min(at + size[d], shape[d])};
  };
  for (std::uint64_t y = 0; y < shape[1]; y += size[1])
    for (std::uint64_t z = 0; z < shape[2]; z += size[2])
      for (std::uint64_t x = 0; x < shape[0]; x += size[0]) blocks.push_back({{slice(0, x), slice(1, y), slice(2, z)}});
  return blocks;
}

/// Rows are chunks, columns are steps: on the device, on the host, on both, or in the store alone.
class Picture {
 public:
  explicit Picture(tessera::Extents const& grid) : grid_{grid} {}

  std::uint64_t chunks() const { return grid_[0] * grid_[1] * grid_[2]; }
  template <class Cache>
  void add_step(Cache const& cache) {
    for (std::uint64_t i = 0; i < chunks(); ++i) {
      auto const where = cache.where({i / (grid_[1] * grid_[2]), i / grid_[2] % grid_[1], i % grid_[2]});
      places_.push_back((where.on_device ? 1 : 0) + (where.on_host ? 2 : 0));
    }
  }

  void write(char const* file) const {
    char const* const colours[] = {"#eeeeee", "#76b900", "#4477aa", "#117733"};
    char const* const names[] = {"in the store alone", "on the device", "on the host", "on both"};
    auto const steps = places_.size() / chunks();
    std::ofstream to{file};
    to << "<svg xmlns='http://www.w3.org/2000/svg' width='" << steps * 10 + 20 << "' height='" << chunks() * 2 + 60
       << "' font-family='sans-serif' font-size='12'>\n";
    for (std::size_t kind = 0; kind < 4; ++kind)
      to << "<rect x='" << 10 + kind * 130 << "' y='10' width='12' height='12' fill='" << colours[kind]
         << "'/><text x='" << 26 + kind * 130 << "' y='20'>" << names[kind] << "</text>\n";
    for (std::size_t step = 0; step < steps; ++step)
      for (std::size_t first = 0, last; first < chunks(); first = last) {  // one rectangle for chunks that are alike
        auto const* const column = places_.data() + step * chunks();
        for (last = first + 1; last < chunks() && column[last] == column[first];) ++last;
        to << "<rect x='" << 10 + step * 10 << "' y='" << 40 + first * 2 << "' width='9' height='" << (last - first) * 2
           << "' fill='" << colours[column[first]] << "'/>\n";
      }
    to << "</svg>\n";
  }

 private:
  tessera::Extents grid_;
  std::vector<int> places_;
};
