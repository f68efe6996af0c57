// A host function makes a forbidden call. From cudaLaunchHostFunc, "Execution Control", of CUDA's runtime API manual.
#include "mistake.hpp"

namespace wrong {
namespace {

struct Step {
  bool calls;
  cudaError_t status;
};

bool calls(bool cured) {
  Step step{!cured, cudaSuccess};
  Stream stream;
  good(cudaLaunchHostFunc(
      stream,
      [](void* at) {
        auto& self = *static_cast<Step*>(at);
        if (self.calls) self.status = cudaDeviceSynchronize();
      },
      &step));
  stream.wait();
  good(step.status);
  return true;
}
Mistake const of_calls{"host_function: calls the runtime", Caught::always, "cudaErrorNotPermitted", calls};

}  // namespace
}  // namespace wrong
