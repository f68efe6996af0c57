// expect: tessera: an array's type includes its rank, store and codecs: write auto, a template parameter, or
#include <tessera/tessera.hpp>
using namespace tessera;
#ifdef CURED
using Volume = decltype(open_array<float, 3>(LocalStore<HostBuffer>{"a"}));
#else
using Volume = Array<float, 3, LocalStore<HostBuffer>>;
#endif
struct Scan {
  Volume volume;
};
void program(Scan scan) { (void)scan; }
