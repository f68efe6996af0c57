// An array whose codecs are in the type. Exit status 0: the elements read into device memory equal those written;
// without a GPU 1.
#include <iostream>
#include <numeric>
#include <vector>

#include "reads.hpp"

using namespace tessera;

int main(int, char** arguments) try {
  Files const files{arguments[1]};
  std::vector<float> numbers(60);
  std::iota(numbers.begin(), numbers.end(), 1.0F);
  using OnHost = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  auto const host = create_array<float, 2>(files, "a", {.shape = {10, 6}, .chunks = {4, 6}}, OnHost{});
  host.write(all, numbers);
  std::cout << "written\n" << std::flush;
  Queue<space::Device> on;
  using Stored = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>, codec::Zstd>;
  auto const array = open_array<float, 2, Stored>(files, "a", on);
  auto const memory = array.read<DeviceBuffer>(all);
  auto const lists = array.read<DeviceBuffer>(Orthogonal{std::vector{3, 1}, all});
  std::vector<float> back(60), rows(12);
  on.wait();
  array.write(all, memory.view()).wait();
  std::cout << "parts " << in_shards(files, on) << ", rows " << lists.size() << '\n';
  return host.read(all)(9, 5) == 60 ? 0 : 1;
} catch (tessera::DeviceError const& error) {
  std::cerr << "DeviceError: " << error.what() << '\n';
  return 1;
}
