// expect: tessera: open_array needs the number of dimensions: open_array<float, 3>(store, path); if only
#include <vector>

#include <tessera/tessera.hpp>
using namespace tessera;
float program(LocalStore<HostBuffer> store) {
#ifdef CURED
  auto const array = open_array<float, 3>(store, "a");
#else
  auto const array = open_array<float>(store, "a");
#endif
  auto const shape = array.shape();
  float sum = static_cast<float>(array.size() + shape[0]);
  for (auto& [name, value] : array.attributes()) sum += value.template as<float>();
  std::vector<float> memory(array.size());
  array.read(all, memory);
  auto part = array.read({{0, 64}, all, 3});
  for (float const x : part) sum += x;
  for (auto x : part.elements()) sum += x;
  part(0, 0, 0) = sum;
  auto const view = part.view();
  array.write({{0, 64}, all, 3}, part);
  open_array<float, 3>(store, "b").write(all, part);
  return part(0, 0, 0) + view(1, 2, 3) + part[{0, 1, 2}] + part.data()[0];
}
