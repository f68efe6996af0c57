// Arrays of device memory with contents known to publishers and readers: elements 0, 1, 2 ... in rows of four.
#pragma once
#include <cstdint>

#include <tessera/array/owned_array.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/view/array_view.hpp>

namespace test {

using Floats = tessera::OwnedArray<float, 2, tessera::DeviceBuffer>;

struct Count {
  float* data;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { data[i] = static_cast<float>(i); }
};
struct AddTen {
  tessera::ArrayView<float, 2, tessera::space::Device> view;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    view.in_kernel(i / view.shape[1], i % view.shape[1]) += 10;
  }
};

inline Floats counted(std::uint64_t rows, tessera::Queue<tessera::space::Device>& on) {
  Floats array{{rows, 4}, on};
  tessera::launch(on, rows * 4, Count{array.data()});
  return array;
}

}  // namespace test
