#include "unasked.hpp"

#include "report.hpp"
#include "world.hpp"

namespace emulation::unasked {
namespace {

cudaError_t known[most_devices] = {};  // of each device

}  // namespace

void returned(cudaError_t result) {
  for (int device = 0; device < most_devices; ++device) {
    cudaError_t const error = world().devices[device].error;
    if (error == cudaSuccess || error == result) known[device] = error;
  }
}

bool say_errors() {
  bool found = false;
  for (int device = 0; device < most_devices; ++device) {
    cudaError_t const error = world().devices[device].error;
    if (error == cudaSuccess || error == known[device]) continue;
    found = true;
    say({"the program ends, and no call has told it that work on device ", device, " ended with ",
         cudaGetErrorName(error)});
  }
  return found;
}

}  // namespace emulation::unasked
