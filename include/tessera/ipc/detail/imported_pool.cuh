// ImportedPool: another process's memory pool, opened here.
#pragma once
#include <cstdint>
#include <memory>

#include <cuda_runtime_api.h>

#include <tessera/core/detail/capture_mode.cuh>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/core/error.hpp>
#include <tessera/ipc/consumer.hpp>

namespace tessera { inline namespace v0 { namespace ipc { namespace detail {

class ImportedPool {
 public:
  ImportedPool(File const& file, tessera::detail::Context context) : context_{context} {
    tessera::detail::InContext const here{context_};
    tessera::detail::ApartFromCaptures const apart;
    auto* const handle = reinterpret_cast<void*>(static_cast<std::uintptr_t>(file.number()));
    tessera::detail::check(
        ::cudaMemPoolImportFromShareableHandle(&pool_, handle, cudaMemHandleTypePosixFileDescriptor, 0),
        "cudaMemPoolImportFromShareableHandle");
  }
  ImportedPool(ImportedPool const&) = delete;
  ImportedPool& operator=(ImportedPool const&) = delete;
  ~ImportedPool() {
    tessera::detail::InContext::call(context_, [&] {
      tessera::detail::ApartFromCaptures const apart;
      tessera::detail::succeeds(::cudaMemPoolDestroy(pool_));
    });
  }

  cudaMemPool_t get() const { return pool_; }

 private:
  tessera::detail::Context context_;
  cudaMemPool_t pool_ = nullptr;
};

/// The pool of the array's memory, imported once however much of it is attached. Empty: the memory is not from a pool.
inline Hold hold_pool_of(Consumer& consumer, Descriptor const& array, tessera::detail::Context const& context) {
  if (array.memory.kind != "cuda-pool") return {};
  return consumer.hold_pool(array.producer, array.memory.pool, [&](Reply const&, File file) {
    if (!file) throw IpcError{to_text({"the producer has no pool ", array.memory.pool})};
    return Opened{nullptr, 0, std::make_shared<ImportedPool>(file, context)};
  });
}

}}}}  // namespace tessera::v0::ipc::detail
