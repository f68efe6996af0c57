// MemoryResource: the source of memory for device, pinned and managed buffers: the CUDA runtime, or a resource of the
// caller.
#pragma once
#include <concepts>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include <cuda_runtime_api.h>

#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

inline constexpr std::size_t device_alignment =
    256;  ///< bytes: the alignment of cudaMalloc, requested from resources

namespace detail {

// The interfaces of memory resources. Stream-ordered: cuda::mr's `resource`, and RMM's from 25.12 on; cuda::mr's
// `async_resource` of CCCL 3.0. Synchronous: `synchronous_resource`, the `resource` of CCCL 3.0, std::pmr's.
template <class R>
concept StreamOrderedResource = requires(R& r, cudaStream_t stream, void* p, std::size_t n) {
  { r.allocate(stream, n, n) } -> std::same_as<void*>;
  r.deallocate(stream, p, n, n);
};
template <class R>
concept AsyncResource = requires(R& r, cudaStream_t stream, void* p, std::size_t n) {
  { r.allocate_async(n, n, stream) } -> std::same_as<void*>;
  r.deallocate_async(p, n, n, stream);
};
template <class R>
concept SyncResource = requires(R& r, void* p, std::size_t n) {
  { r.allocate_sync(n, n) } -> std::same_as<void*>;
  r.deallocate_sync(p, n, n);
};
template <class R>
concept PlainResource = requires(R& r, void* p, std::size_t n) {
  { r.allocate(n, n) } -> std::same_as<void*>;
  r.deallocate(p, n, n);
};

/// Returns `data`. Throws: OutOfMemory, which gives the requested and the free bytes; DeviceError.
inline void* made(void* data, cudaError_t status, std::size_t size, char const* what, char const* call) {
  if (status == cudaSuccess) return data;
  auto const why = cuda_failure(status, call);
  if (status != cudaErrorMemoryAllocation) throw DeviceError{why};
  std::size_t free = 0, total = 0;
  bool const known = succeeds(::cudaMemGetInfo(&free, &total));
  throw OutOfMemory{known ? to_text({"cannot allocate ", size, " bytes of ", what, ", ", free, " of the device's ",
                                     total, " bytes are free: ", why})
                          : to_text({"cannot allocate ", size, " bytes of ", what, ": ", why})};
}

}  // namespace detail

/// A resource of CCCL, RMM or std::pmr: it allocates and deallocates by the calls of one of these interfaces.
template <class R>
concept CudaMemoryResource =
    detail::StreamOrderedResource<R> || detail::AsyncResource<R> || detail::SyncResource<R> || detail::PlainResource<R>;

/// An lvalue resource is referenced, and must outlive the buffers made from it; a temporary (`any_resource` of CCCL, a
/// reference of RMM's or CCCL's) is moved in, and kept as long as they need it. Requires, unchecked: device memory for
/// DeviceBuffer, page-locked memory for PinnedBuffer, managed memory for ManagedBuffer.
class MemoryResource {
 public:
  template <CudaMemoryResource R>
  requires(!std::same_as<R, MemoryResource>) MemoryResource(R& resource)
      : object_{const_cast<void*>(static_cast<void const*>(std::addressof(resource)))}, calls_{&calls_of<R>} {}
  template <class R>
  requires(!std::is_reference_v<R> && !std::is_const_v<R> && !std::same_as<R, MemoryResource> && CudaMemoryResource<R>)
      MemoryResource(R&& resource)
      : MemoryResource{std::make_shared<R>(std::move(resource))} {}

  /// cudaMallocAsync, from the device's own pool. A queue given this resource has its own pool instead or, on devices
  /// without pools, uses cudaMalloc.
  static MemoryResource device() { return {nullptr, &device_calls}; }
  /// Page-locked memory that every device can access, by cudaHostAlloc.
  static MemoryResource pinned() { return {nullptr, &pinned_calls}; }
  /// By cudaMallocManaged.
  static MemoryResource managed() { return {nullptr, &managed_calls}; }

  /// Whether it is that of device().
  bool is_device() const { return calls_ == &device_calls; }
  /// Whether the stream may use freed memory in work queued before it was freed.
  bool is_stream_ordered() const { return calls_->stream_ordered; }
  /// Throws: OutOfMemory, which gives the requested bytes, and the free bytes or the resource's message; DeviceError;
  /// Error, if the resource throws anything other than std::bad_alloc.
  std::byte* allocate(std::size_t size, cudaStream_t stream) const {
    try {
      return static_cast<std::byte*>(calls_->allocate(object_, size, stream));
    } catch (Error const&) {
      throw;
    } catch (std::bad_alloc const& failure) {
      throw OutOfMemory{refused(size, failure)};
    } catch (std::exception const& failure) {
      throw Error{refused(size, failure)};
    }
  }
  /// Ignores failures: the memory may have been freed with its context.
  void deallocate(std::byte* data, std::size_t size, cudaStream_t stream) const noexcept {
    try {
      calls_->deallocate(object_, data, size, stream);
    } catch (...) {  // called by destructors
    }
  }

 private:
  struct Calls {
    void* (*allocate)(void* object, std::size_t size, cudaStream_t stream);
    void (*deallocate)(void* object, void* data, std::size_t size, cudaStream_t stream);
    bool stream_ordered;
  };
  MemoryResource(void* object, Calls const* calls) : object_{object}, calls_{calls} {}
  static std::string refused(std::size_t size, std::exception const& failure) {
    return to_text({"cannot allocate ", size, " bytes from the memory resource: ", failure.what()});
  }
  template <class R>
  explicit MemoryResource(std::shared_ptr<R>&& owned)
      : object_{owned.get()}, calls_{&calls_of<R>}, owned_{std::move(owned)} {}

  template <class R>
  static void* allocate_from(void* object, std::size_t size, [[maybe_unused]] cudaStream_t stream) {
    auto& resource = *static_cast<R*>(object);
    if constexpr (detail::StreamOrderedResource<R>)
      return resource.allocate(stream, size, device_alignment);
    else if constexpr (detail::AsyncResource<R>)
      return resource.allocate_async(size, device_alignment, stream);
    else if constexpr (detail::SyncResource<R>)
      return resource.allocate_sync(size, device_alignment);
    else
      return resource.allocate(size, device_alignment);
  }
  template <class R>
  static void deallocate_to(void* object, void* data, std::size_t size, [[maybe_unused]] cudaStream_t stream) {
    auto& resource = *static_cast<R*>(object);
    if constexpr (detail::StreamOrderedResource<R>)
      resource.deallocate(stream, data, size, device_alignment);
    else if constexpr (detail::AsyncResource<R>)
      resource.deallocate_async(data, size, device_alignment, stream);
    else if constexpr (detail::SyncResource<R>)
      resource.deallocate_sync(data, size, device_alignment);
    else
      resource.deallocate(data, size, device_alignment);
  }
  template <class R>
  static constexpr Calls calls_of{allocate_from<R>, deallocate_to<R>,
                                  detail::StreamOrderedResource<R> || detail::AsyncResource<R>};

  static constexpr Calls device_calls{
      [](void*, std::size_t size, cudaStream_t stream) {
        void* data = nullptr;
        auto const status = ::cudaMallocAsync(&data, size, stream);
        return detail::made(data, status, size, "device memory", "cudaMallocAsync");
      },
      [](void*, void* data, std::size_t, cudaStream_t stream) { detail::succeeds(::cudaFreeAsync(data, stream)); },
      true};
  static constexpr Calls pinned_calls{
      [](void*, std::size_t size, cudaStream_t) {
        void* data = nullptr;
        auto const status = ::cudaHostAlloc(&data, size, cudaHostAllocPortable);
        return detail::made(data, status, size, "page-locked memory", "cudaHostAlloc");
      },
      [](void*, void* data, std::size_t, cudaStream_t) { detail::succeeds(::cudaFreeHost(data)); }, false};
  static constexpr Calls managed_calls{
      [](void*, std::size_t size, cudaStream_t) {
        void* data = nullptr;
        auto const status = ::cudaMallocManaged(&data, size, cudaMemAttachGlobal);
        return detail::made(data, status, size, "managed memory", "cudaMallocManaged");
      },
      [](void*, void* data, std::size_t, cudaStream_t) { detail::succeeds(::cudaFree(data)); }, false};

  void* object_;
  Calls const* calls_;
  std::shared_ptr<void> owned_{};  // the object, if moved in
};

/// Memory for buffers made on a device queue, in its `device`, `pinned` and `managed` space. Each resource must outlive
/// them.
struct DeviceResources {
  MemoryResource device = MemoryResource::device();
  MemoryResource pinned = MemoryResource::pinned();
  MemoryResource managed = MemoryResource::managed();
};

}}  // namespace tessera::v0
