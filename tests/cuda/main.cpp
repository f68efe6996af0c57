// The tests with a device, if there is one.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

int main(int count, char** arguments) {
  doctest::Context tests{count, arguments};
  int devices = 0;
  auto const status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess && devices > 0) return tests.run();
  std::fprintf(stderr, "there is no GPU (%s): none of this program's tests was run\n", cudaGetErrorName(status));
  return 77;  // which test runners treat as "skipped"
}
