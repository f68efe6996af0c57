// Programs say `using namespace tessera`, and nvcc's have CUDA's names in the global namespace too: none may clash.
#include "stub_device.hpp"

#include <tessera/tessera.hpp>

using namespace tessera;

int main() {
  Extents const shape{4, 6};
  Slice const every = all;
  Box const plane{all, {1, 3}}, everything = all;
  auto const some = plane.resolve(shape), most = everything.resolve(shape), same = Box{every, every}.resolve(shape);
  bool const holds = some.count == Extents{4, 2} && most.count == shape && same.count == shape;

  MemoryStore<HostBuffer> const store;
  Queue<space::Host> host;
  Queue<space::Device> device;
  auto const here = get_value(store, Key{"a"}, host);
  auto const there = get_value(MemoryStore<stub::DeviceBuffer>{}, Key{"a"}, device);
  return !holds || here || there;
}
