// RMM's resources unchanged, as resources of buffers. (RMM 26.10: resources are values of cuda::mr's shape.)
#include <cstdio>
#include <string_view>

#include <rmm/mr/arena_memory_resource.hpp>
#include <rmm/mr/cuda_async_memory_resource.hpp>
#include <rmm/mr/cuda_memory_resource.hpp>
#include <rmm/mr/managed_memory_resource.hpp>
#include <rmm/mr/pinned_host_memory_resource.hpp>
#include <rmm/mr/pool_memory_resource.hpp>
#include <rmm/resource_ref.hpp>

#include <tessera/tessera.cuh>

using namespace tessera;

// All in a stream's order, even where RMM emulates that.
template <class... R>
constexpr bool are_resources = (CudaMemoryResource<R> && ...) && (detail::StreamOrderedResource<R> && ...);
static_assert(are_resources<rmm::mr::cuda_async_memory_resource, rmm::mr::cuda_memory_resource,
                            rmm::mr::pool_memory_resource, rmm::mr::arena_memory_resource>);
static_assert(are_resources<rmm::mr::managed_memory_resource, rmm::mr::pinned_host_memory_resource>);
static_assert(are_resources<rmm::device_async_resource_ref, rmm::host_device_async_resource_ref>);

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "not run: buffers made of RMM's resources, for there is no GPU\n");
    return 77;
  }
  rmm::mr::cuda_async_memory_resource pool;
  rmm::mr::pinned_host_memory_resource pinned;
  Queue<space::Device> on{Queue<space::Host>{}, {.device = pool, .pinned = pinned}};
  PinnedBuffer from(3, on);
  for (std::size_t i = 0; i < 3; ++i) from.span().data[i] = static_cast<std::byte>('a' + i);
  auto const there = copy_to<DeviceBuffer>(std::move(from), on);
  PinnedBuffer back(3, on);
  crossing<space::Pinned, space::Device>::copy(there.view(), back.span(), on);
  on.wait();
  return std::string_view{reinterpret_cast<char const*>(back.view().data), 3} == "abc" ? 0 : 1;
}
