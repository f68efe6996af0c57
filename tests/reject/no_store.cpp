// expect: tessera: this is not a store: it has no buffer_type; pass e.g. LocalStore<HostBuffer>{path}
#include <string>

#include <tessera/tessera.hpp>
using namespace tessera;
void program(std::string path) {
#ifdef CURED
  auto array = open_array<float, 3>(LocalStore<HostBuffer>{path}, "a");
#else
  auto array = open_array<float, 3>(path, "a");
#endif
  (void)array;
}
