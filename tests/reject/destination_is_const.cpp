// expect: tessera: the destination's elements are const: pass writable memory
#include <vector>

#include <tessera/tessera.hpp>
using namespace tessera;
#ifdef CURED
using Memory = std::vector<float>;
#else
using Memory = std::vector<float> const;
#endif
void program(LocalStore<HostBuffer> store, Memory& memory) { open_array<float, 3>(store, "a").read(all, memory); }
