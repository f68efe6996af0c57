// Compares the output of examples/device/edges.cpp for the brain volume with the same sums in plain loops on the host:
// check-edges FOLDER. Exit status 0: every element has the same bits.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <vector>

#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

namespace {

using namespace tessera;
using Known = Codecs<codec::Bytes, codec::Zstd>;
using Index = std::array<std::int64_t, 3>;

struct Volume {
  Index shape;
  std::vector<int> elements;

  int at(Index index) const {  // beyond the border, the border's value continues
    for (std::size_t d = 0; d < 3; ++d) index[d] = std::clamp<std::int64_t>(index[d], 0, shape[d] - 1);
    return elements[static_cast<std::size_t>((index[0] * shape[1] + index[1]) * shape[2] + index[2])];
  }
};

template <class F>
auto for_each_index(Index const& shape, F&& f) {
  std::vector<decltype(f(shape))> results;
  for (std::int64_t x = 0; x < shape[0]; ++x)
    for (std::int64_t y = 0; y < shape[1]; ++y)
      for (std::int64_t z = 0; z < shape[2]; ++z) results.push_back(f({x, y, z}));
  return results;
}

Index moved(Index index, std::size_t axis, std::int64_t offset) {
  index[axis] += offset;
  return index;
}

Volume smoothed(Volume const& volume, std::size_t axis) {
  return {volume.shape, for_each_index(volume.shape, [&](Index const& index) {
            int const weights[] = {1, 4, 6, 4, 1};
            int sum = 0;
            for (int k = 0; k < 5; ++k) sum += weights[k] * volume.at(moved(index, axis, k - 2));
            return sum;
          })};
}

std::vector<float> steepness(Volume const& volume) {
  return for_each_index(volume.shape, [&](Index const& index) {
    std::int64_t squares = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::int64_t const slope = volume.at(moved(index, axis, 1)) - volume.at(moved(index, axis, -1));
      squares += slope * slope;
    }
    return static_cast<float>(std::sqrt(static_cast<double>(squares)) / 8192);
  });
}

}  // namespace

int main(int, char** arguments) try {
  auto const t1 = open_array<std::uint8_t, 3, Known>(LocalStore<HostBuffer>{"examples/data/brain.zarr"}, "t1");
  auto const elements = t1.read(all);
  Volume volume{{}, {elements.elements().begin(), elements.elements().end()}};
  std::copy_n(t1.shape().begin(), 3, volume.shape.begin());
  for (std::size_t axis = 0; axis < 3; ++axis) volume = smoothed(volume, axis);
  auto const expected = steepness(volume);

  auto const found = open_array<float, 3, Known>(LocalStore<HostBuffer>{arguments[1]}, "edges").read(all);
  if (found.shape() != t1.shape()) throw SelectionError{"the shape is " + to_string(found.shape())};
  std::size_t differing = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    differing += std::memcmp(&expected[i], &found.elements()[i], sizeof(float)) != 0;
  std::cout << differing << " of " << expected.size() << " elements differ; the steepest is "
            << *std::max_element(expected.begin(), expected.end()) << '\n';
  return differing == 0 ? 0 : 1;
} catch (std::exception const& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
