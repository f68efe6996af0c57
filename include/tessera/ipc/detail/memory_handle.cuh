// memory_handle: how other processes open device memory, and which memory cannot be exported.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <fcntl.h>

#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/ipc/detail/driver.cuh>
#include <tessera/ipc/detail/posix/socket.hpp>
#include <tessera/ipc/producer.hpp>

namespace tessera { inline namespace v0 { namespace ipc { namespace detail {

template <class Handle>
std::vector<std::byte> octets_of(Handle const& handle) {
  std::vector<std::byte> octets(sizeof handle);
  std::memcpy(octets.data(), &handle, sizeof handle);
  return octets;
}

/// How other processes open the allocation that contains an address.
struct MemoryHandle {
  std::string kind;
  std::vector<std::byte> octets;
  std::shared_ptr<Published const> pool{};  // for memory from a pool
};

/// Publishes a pool: an open file, sent with each lease. Throws: IpcError, if the pool cannot be exported.
inline std::shared_ptr<Published const> publish_pool(Producer& producer, cudaMemPool_t pool) {
  return producer.once(pool, [&] {
    int number = -1;
    auto const status = ::cudaMemPoolExportToShareableHandle(&number, pool, cudaMemHandleTypePosixFileDescriptor, 0);
    if (status == cudaErrorInvalidValue || status == cudaErrorNotSupported) {
      static_cast<void>(::cudaGetLastError());
      throw IpcError{
          "this device memory is from a pool that was made for this process only (handleTypes is not "
          "cudaMemHandleTypePosixFileDescriptor): read on a queue with an IpcResource or an IpcPool, "
          "Queue<space::Device>{host, {.device = resource}}; or publish a copy, ipc::publish(producer, array.view(), "
          "queue), from tessera/ipc/cuda.cuh"};
    }
    tessera::detail::check(status, "cudaMemPoolExportToShareableHandle");
    auto const file = std::make_shared<File const>(number);
    Exported exported{.kind = "cuda-pool"};
    exported.data = reinterpret_cast<std::byte*>(pool);  // the pool itself, for this process
    exported.open = [file](bool) {
      auto const another = ::fcntl(file->number(), F_DUPFD_CLOEXEC, 0);
      if (another < 0) fail("copy the descriptor of a pool");
      return another;
    };
    Descriptor nothing;
    nothing.type = data_type_of<std::uint8_t>(), nothing.shape = {0}, nothing.strides = {1};
    return producer.publish(std::move(exported), std::move(nothing));
  });
}

/// `data`: the allocation's first byte. Throws: IpcError, if memory of its kind cannot be exported.
inline MemoryHandle memory_handle(Producer& producer, std::byte* data) {
  if (auto const pool = pool_of(data)) {
    auto shared = publish_pool(producer, pool);
    cudaMemPoolPtrExportData exported{};
    tessera::detail::check(::cudaMemPoolExportPointer(&exported, data), "cudaMemPoolExportPointer");
    return {"cuda-pool", octets_of(exported), std::move(shared)};
  }
  cudaIpcMemHandle_t handle{};
  auto const status = ::cudaIpcGetMemHandle(&handle, data);
  if (status == cudaErrorInvalidValue) {
    static_cast<void>(::cudaGetLastError());
    throw IpcError{
        "this device memory is neither from cudaMalloc nor from a pool and cannot be exported: read on a queue with an "
        "IpcResource, Queue<space::Device>{host, {.device = resource}}"};
  }
  tessera::detail::check(status, "cudaIpcGetMemHandle");
  return {"cuda-ipc", octets_of(handle)};
}

}}}}  // namespace tessera::v0::ipc::detail
