// expect: tessera: a queue never works on the default stream: give it a stream made by
#include <tessera/tessera.cuh>
using namespace tessera;
#ifdef CURED
Queue<space::Device> queue;
#else
Queue<space::Device> queue{nullptr};
#endif
