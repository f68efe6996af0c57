// published: numbers in device memory that a producer shares, for columns.
#pragma once
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/ipc/cuda.cuh>
#include <tessera/tessera.cuh>

namespace test {

template <class T>
tessera::ipc::Published published(tessera::ipc::Producer& producer, std::vector<T> const& elements,
                                  tessera::Queue<tessera::space::Device>& on) {
  tessera::OwnedArray<T, 1, tessera::DeviceBuffer> array{{elements.size()}, on};
  REQUIRE(cudaMemcpyAsync(array.data(), elements.data(), elements.size() * sizeof(T), cudaMemcpyHostToDevice,
                          on.stream()) == cudaSuccess);
  return tessera::ipc::publish(producer, std::move(array), on);
}

}  // namespace test
