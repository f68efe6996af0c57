// Fills device memory and copies it back, in two orders of the streams.
#include <cstdio>

#include <cuda_runtime_api.h>
#include <emulation/emulation.hpp>

int main() {
  for (unsigned seed = 0; seed < 2; ++seed) {
    emulation::seed(seed);
    cudaStream_t stream = nullptr;
    int *device = nullptr, *host = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMalloc(reinterpret_cast<void**>(&device), sizeof(int));
    cudaMallocHost(reinterpret_cast<void**>(&host), sizeof(int));
    cudaMemsetAsync(device, 1, sizeof(int), stream);
    cudaMemcpyAsync(host, device, sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    std::printf("%#x\n", static_cast<unsigned>(*host));
    cudaFreeHost(host);
    cudaFree(device);
    cudaStreamDestroy(stream);
  }
}
