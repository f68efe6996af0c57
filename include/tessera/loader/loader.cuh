// Loader for arrays in device memory, with the CUDA parts that it needs.
#pragma once
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/loader/detail/own_queue.hpp>
#include <tessera/loader/loader.hpp>
#include <tessera/memory/queue.cuh>
#include <tessera/place/detail/placer.cuh>

namespace tessera { inline namespace v0 { namespace detail {

template <>
struct own_queue<Queue<space::Device>> {
  static Queue<space::Device> make(Queue<space::Device>& like) {
    InContext const here{like.shared_stream()->context()};
    return Queue<space::Device>{like.host()};
  }
};

}}}  // namespace tessera::v0::detail
