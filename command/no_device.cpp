// --space device of a command that was built without CUDA.
#include "failure.hpp"
#include "space.hpp"

namespace cli {

std::unique_ptr<DeviceSpace> device_space(Queue const&) {
  throw UsageError{
      "--space device: this tessera was built without CUDA: build it with -DTESSERA_CUDA=ON, which needs nvcc, and run "
      "it where there is a GPU"};
}

}  // namespace cli
