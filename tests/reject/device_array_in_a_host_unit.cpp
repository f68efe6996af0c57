// expect: tessera: only nvcc compiles kernels: launch from a .cu file; a source file that only reads and writes arrays can link tessera::compiled_cuda instead
// not with nvcc: which is the cure
#include <cuda_runtime_api.h>
#ifndef CURED
#undef TESSERA_CUDA_EMULATION  // without it and without nvcc kernels cannot run
#endif
#include <tessera/tessera.cuh>
using namespace tessera;
using Stored = Pipeline<space::Device, codec::Bytes>;
void program(LocalStore<HostBuffer> host, LocalStore<DeviceBuffer> device, ArrayView<float, 3, space::Device> memory) {
  open_array<float, 3, Stored>(SplitStore{host, device}, "a").read(all, memory).wait();
}
