// expect: tessera: what comes after the path is the pipeline's queue: a Queue<space::Host>, or a Queue<space::Device> where
#include "stub_device.hpp"
using namespace tessera;
void program(LocalStore<HostBuffer> store, Queue<space::Device> stream) {
#ifdef CURED
  (void)stream;
  auto array = open_array<float, 3>(store, "a", Queue<space::Host>{2});
#else
  auto array = open_array<float, 3>(store, "a", stream);
#endif
  (void)array;
}
