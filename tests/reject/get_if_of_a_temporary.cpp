// expect: tessera: get_if() of a temporary Value returns a dangling pointer
#include <tessera/tessera.hpp>
using namespace tessera;
void program(Array<float, 3, MemoryStore<HostBuffer>, Pipeline<space::Host, codec::Bytes>> array) {
#ifdef CURED
  for (auto& [name, value] : array.attributes()) (void)name, (void)value;
#else
  for (auto& [name, value] : *Value{array.attributes()}.get_if<Members>()) (void)name, (void)value;
#endif
}
