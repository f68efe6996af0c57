// expect: tessera: a queue cannot use the default stream: pass a stream made by
#include <tessera/tessera.cuh>
using namespace tessera;
#ifdef CURED
Queue<space::Device> queue;
#else
Queue<space::Device> queue{nullptr};
#endif
