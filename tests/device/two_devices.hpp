// Code for queues of two GPUs.
#pragma once
#include <cstddef>

#include <device/device.hpp>

#if defined(TESSERA_CUDA_EMULATION)  // if there are two
namespace test {

/// Under 16 seeds, calls f(queue of device 0, queue of device 1), each with that many host threads.
template <class F>
void with_two_devices(std::size_t threads, F&& f) {
  auto const queue_of = [&](int device) {
    cudaSetDevice(device);
    DeviceQueue on{HostQueue{threads}};
    cudaSetDevice(0);
    return on;
  };
  under_seeds(16, [&] {
    emulation::set({.devices = 2});
    {
      auto first = queue_of(0), second = queue_of(1);
      f(first, second);
    }
    emulation::set({});
  });
}

}  // namespace test
#endif
