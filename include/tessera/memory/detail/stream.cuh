// Stream: a CUDA stream and the memory for its buffers. Buffers hold it, so it holds no buffer.
// CopyStream: a second stream, whose copies do not wait for earlier work of the queue's stream.
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include <cuda_runtime_api.h>

#include <tessera/core/detail/capture_mode.cuh>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/memory/detail/after_device.cuh>
#include <tessera/memory/detail/blocks.cuh>
#include <tessera/memory/detail/device_pool.cuh>
#include <tessera/memory/detail/event.cuh>
#include <tessera/memory/resource.cuh>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Copies host bytes to memory that the queue's stream no longer uses, while kernels run. Later work and events of the
/// queue's stream come after each copy. The first copy creates the stream. Thread-safe.
class CopyStream {
 public:
  CopyStream() = default;
  CopyStream(CopyStream const&) = delete;
  CopyStream& operator=(CopyStream const&) = delete;
  ~CopyStream() {
    if (!handle_) return;
    InContext::call(context_, [&] {
      ApartFromCaptures const apart;
      succeeds(::cudaStreamDestroy(handle_));
    });
  }

  /// Device memory was taken that earlier work of the queue's stream may still use: later copies wait for that work.
  void memory_was_taken() noexcept {
    std::lock_guard lock{mutex_};
    is_behind_ = true;
  }

  /// `done`, if not null, is recorded after the copy. Throws: DeviceError; then no copy is in progress.
  void copy(std::byte const* from, std::byte* to, std::size_t size, cudaStream_t stream, Context const& context,
            Event<space::Device>* done = nullptr) {
    InContext const here{context};
    catch_up(stream, context);
    check(::cudaMemcpyAsync(to, from, size, cudaMemcpyDefault, handle_), "cudaMemcpyAsync");
    try {
      std::lock_guard lock{mutex_};
      auto& copied = done ? *done : copied_;
      copied.record(handle_, context);
      copied.hold_back(stream);
    } catch (Error const&) {  // nothing else waits for the copy
      drain(handle_, context);
      throw;
    }
  }

 private:
  void catch_up(cudaStream_t stream, Context const& context) {
    std::lock_guard lock{mutex_};
    if (!handle_) {
      ApartFromCaptures const apart;
      check(::cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags, for copies");
      context_ = context;
    }
    if (!is_behind_) return;
    taken_.record(stream, context);
    taken_.hold_back(handle_);
    is_behind_ = false;
  }

  std::mutex mutex_;
  cudaStream_t handle_ = nullptr;
  Context context_{};
  bool is_behind_ = true;
  Event<space::Device> taken_{}, copied_{};
};

class Stream {
 public:
  /// A new stream on the calling thread's device. `flags`: cudaStreamDefault orders it with the legacy default stream.
  explicit Stream(DeviceResources const& resources, unsigned flags = cudaStreamNonBlocking)
      : Stream{resources, cudaStream_t{}} {
    {
      ApartFromCaptures const apart;
      check(::cudaStreamCreateWithFlags(&handle_, flags), "cudaStreamCreateWithFlags");
    }
    owned_ = true;
    begin(resources.device);
  }
  /// The caller's stream, which must outlive this object.
  Stream(cudaStream_t handle, DeviceResources const& resources) : Stream{resources, handle} {
    if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
      throw DeviceError{
          "a queue cannot use a default stream, which would order it with unrelated work: pass a stream "
          "made by cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), or none; "
          "Queue<space::Device>::ordered_with_default_stream() waits for the default stream, and it for the queue"};
    begin(resources.device);
  }
  Stream(Stream const&) = delete;
  Stream& operator=(Stream const&) = delete;
  ~Stream() {
    release_blocks();
    InContext::call(context_, [&] {
      ApartFromCaptures const apart;
      pool_.reset();
      if (owned_) succeeds(::cudaStreamDestroy(handle_));
    });
  }

  cudaStream_t handle() const { return handle_; }
  int device() const { return device_; }
  Context const& context() const { return context_; }

  template <MemorySpace S>
  Block take(std::size_t size) {
    require<S>();
    auto block = blocks<S>().take(size, handle_, context_);
    if constexpr (std::same_as<S, space::Device>) copies_.memory_was_taken();
    return block;
  }
  template <MemorySpace S>
  void give_back(Block block) noexcept {
    blocks<S>().give_back(std::move(block), handle_, context_);
  }

  /// Throws: DeviceError, if the host cannot access memory of this space while the device works.
  template <MemorySpace S>
  void require() const {
    if (std::same_as<S, space::Managed> && !concurrent_managed_)
      throw DeviceError{
          to_text({"device ", device_,
                   " has no concurrent managed access (cudaDevAttrConcurrentManagedAccess): the host must "
                   "not access managed memory while the device works; use PinnedBuffer or DeviceBuffer"})};
  }

  /// Destroys owners of memory that other streams may use, as AfterDevice::destroy, and those that had to stay.
  void destroy_after_device(AfterDevice::Owners owners = {}) noexcept {
    after_device_.destroy(std::move(owners), context_);
  }

  /// Frees idle memory when the stream is done with it.
  void trim() noexcept {
    destroy_after_device();
    release_blocks();
    if (!pool_) return;
    drain();
    trim_pool_to(0);
  }
  /// Frees the idle blocks of each kind of memory that has more than `most` bytes of them.
  void trim_to(std::uint64_t most) noexcept {
    for (auto* blocks : all_blocks())
      if (blocks->idle_bytes() > most) blocks->release(handle_, context_);
    trim_pool_to(most);
  }

  /// See memory/detail/stream.cuh. Throws: DeviceError.
  void copy_ahead(std::byte const* from, std::byte* to, std::size_t size, Event<space::Device>* done = nullptr) {
    copies_.copy(from, to, size, handle_, context_, done);
  }

  void record(Event<space::Device>& event) const { event.record(handle_, context_); }
  void drain() const noexcept { detail::drain(handle_, context_); }

 private:
  Stream(DeviceResources const& r, cudaStream_t handle)
      : handle_{handle},
        pinned_{r.pinned, true},
        managed_{r.managed, true} {}

  void begin(MemoryResource const& resource) {
    context_ = Context{handle_};
    InContext const here{context_};
    check(::cudaGetDevice(&device_), "cudaGetDevice");
    concurrent_managed_ = has(cudaDevAttrConcurrentManagedAccess);
    if (!resource.is_device())
      device_blocks_.emplace(resource, false);
    else if (has(cudaDevAttrMemoryPoolsSupported))
      device_blocks_.emplace(MemoryResource{pool_.emplace()}, false);
    else
      device_blocks_.emplace(MemoryResource{without_pool_}, false);
  }
  bool has(cudaDeviceAttr what) const {
    int value = 0;
    check(::cudaDeviceGetAttribute(&value, what, device_), "cudaDeviceGetAttribute");
    return value != 0;
  }
  void release_blocks() noexcept {
    for (auto* blocks : all_blocks())
      if (blocks) blocks->release(handle_, context_);
  }
  void trim_pool_to(std::uint64_t most) noexcept {
    if (!pool_) return;
    InContext::call(context_, [&] { pool_->trim_to(most); });
  }
  std::array<Blocks*, 3> all_blocks() { return {device_blocks_ ? &*device_blocks_ : nullptr, &pinned_, &managed_}; }

  template <MemorySpace S>
  Blocks& blocks() {
    if constexpr (std::same_as<S, space::Device>)
      return *device_blocks_;
    else if constexpr (std::same_as<S, space::Pinned>)
      return pinned_;
    else
      return managed_;
  }

  cudaStream_t handle_;
  int device_ = 0;
  Context context_{};
  bool owned_ = false;
  bool concurrent_managed_ = true;
  std::optional<DevicePool> pool_;
  WithoutPool without_pool_;
  std::optional<Blocks> device_blocks_;
  Blocks pinned_, managed_;
  CopyStream copies_;
  AfterDevice after_device_;
};

}}}  // namespace tessera::v0::detail
