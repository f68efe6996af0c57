// expect: tessera: Thrust's device memory needs nvcc: include tessera/with/thrust.cuh in a .cu file
// not with nvcc: there it compiles
#ifdef CURED
#include <tessera/tessera.cuh>
#else
#include <tessera/with/thrust.cuh>
#endif
