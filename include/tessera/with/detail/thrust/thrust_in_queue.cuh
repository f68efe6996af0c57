// sort_in_queue and sum_up_in_queue: algorithms of Thrust in a queue's order. nvcc compiles them for the device. On an
// emulated runtime the same calls run in one kernel, with Thrust's sequential backend.
#pragma once
#if !defined(__CUDACC__)
#include <cuda_runtime_api.h>  // of an emulation, which says so
#if !defined(TESSERA_CUDA_EMULATION)
#error "tessera: selections in device memory need nvcc: include tessera/with/device_selections.cuh in a .cu file"
#endif
#endif
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <thrust/execution_policy.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system_error.h>

#include <tessera/buffer/device_buffer.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/core/error.hpp>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 { namespace detail {

namespace thrust = THRUST_NS_QUALIFIER;  // THRUST_CUB_WRAPPED_NAMESPACE moves it

#if defined(__CUDACC__)

// Memory of the queue for an algorithm, which is freed in the queue's order.
struct AlgorithmMemory {
  using value_type = std::byte;
  Queue<space::Device>& on;
  std::vector<DeviceBuffer> held{};

  value_type* allocate(std::ptrdiff_t size) {
    return held.emplace_back(static_cast<std::size_t>(size), on).span().data;
  }
  void deallocate(value_type*, std::size_t) {}
};

/// Calls algorithm(policy). `scratch`: bytes that it needs beside its arguments, at most. Throws: DeviceError.
template <class Algorithm>
void run_in_queue(Queue<space::Device>& on, std::size_t, Algorithm const& algorithm) {
  InContext const here{on.shared_stream()->context()};
  AlgorithmMemory memory{on};
  try {
    algorithm(thrust::cuda::par_nosync(memory).on(on.stream()));
  } catch (thrust::system_error const& error) {
    throw DeviceError{to_text({"an algorithm of Thrust: ", error.what()})};
  }
}

#else

// Memory of a kernel, which cannot allocate.
struct AlgorithmMemory {
  using value_type = std::byte;
  std::byte* next;

  value_type* allocate(std::ptrdiff_t size) {
    return std::exchange(next, next + (static_cast<std::size_t>(size) + 15) / 16 * 16);
  }
  void deallocate(value_type*, std::size_t) {}
};

template <class Algorithm>
struct InOneThread {
  Algorithm algorithm;
  std::byte* scratch;

  void operator()(std::uint64_t) const {
    AlgorithmMemory memory{scratch};
    algorithm(thrust::cpp::par(memory));
  }
};

template <class Algorithm>
void run_in_queue(Queue<space::Device>& on, std::size_t scratch, Algorithm const& algorithm) {
  DeviceBuffer memory(scratch, on);
  launch(on, 1, InOneThread<Algorithm>{algorithm, memory.span().data});
}

#endif

template <class N, class V>
struct SortByNumber {
  N* numbers;
  V* values;
  std::size_t count;
  template <class Policy>
  void operator()(Policy const& policy) const {
    thrust::stable_sort_by_key(policy, numbers, numbers + count, values);
  }
};

template <class N>
struct SumUp {
  N* numbers;
  std::size_t count;
  template <class Policy>
  void operator()(Policy const& policy) const {
    thrust::inclusive_scan(policy, numbers, numbers + count, numbers);
  }
};

/// Sorts numbers in device memory, and values with them; values of equal numbers keep their order. Throws: DeviceError.
template <class N, class V>
void sort_in_queue(Queue<space::Device>& on, N* numbers, V* values, std::size_t count) {
  constexpr std::size_t beside = 4096;  // rounding
  run_in_queue(on, count * (sizeof(N) + sizeof(V)) + beside, SortByNumber<N, V>{numbers, values, count});
}

/// Replaces each number in device memory by the sum of all up to it. Throws: DeviceError.
template <class N>
void sum_up_in_queue(Queue<space::Device>& on, N* numbers, std::size_t count) {
  constexpr std::size_t beside = 4096;
  run_in_queue(on, beside, SumUp<N>{numbers, count});
}

}}}  // namespace tessera::v0::detail
