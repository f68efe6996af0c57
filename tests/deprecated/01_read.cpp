// Reads a box of an array whose type and rank the program knows.
#include <cstdint>
#include <iostream>
#include <numeric>

#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

int main(int argc, char** argv) try {
  using namespace tessera;
  LocalStore<HostBuffer> const store{argc > 1 ? argv[1] : "examples/data/brain.zarr"};
  auto const t1 = open_array<std::uint8_t, 3, Codecs<codec::Bytes, codec::Zstd>>(store, "t1");

  // Half of x, all of y, every second plane of z: an array that owns its elements.
  auto const part = t1.read(Box{{0, 98}, all, {0, 189, 2}});
  auto const sum = std::accumulate(part.elements().begin(), part.elements().end(), std::uint64_t{0});
  std::cout << to_string(part.shape()) << " of " << to_string(t1.shape()) << ", mean "
            << static_cast<double>(sum) / static_cast<double>(part.size()) << ", middle " << int{part(49, 116, 47)}
            << '\n';
} catch (tessera::Error const& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
