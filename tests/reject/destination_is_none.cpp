// expect: tessera: this argument is not memory that holds elements: pass an ArrayView<T, Rank, space>, an mdspan, or contiguous
#include <list>
#include <vector>

#include <tessera/tessera.hpp>
using namespace tessera;
#ifdef CURED
using Memory = std::vector<float>;
#else
using Memory = std::list<float>;
#endif
void program(LocalStore<HostBuffer> store, Memory& memory) { open_array<float, 3>(store, "a").read(all, memory); }
