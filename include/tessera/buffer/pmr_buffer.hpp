// PmrBuffer: bytes from a std::pmr memory resource of the caller.
#pragma once
#include <cstddef>
#include <memory_resource>

#include <tessera/buffer/concept.hpp>
#include <tessera/memory/queue.hpp>

namespace tessera { inline namespace v0 {

/// Aligned to 64 bytes, uninitialised. The resource is the one given, or that of the queue, and must outlive the
/// buffer. If stores or threads share buffers, it must be thread-safe, e.g. std::pmr::synchronized_pool_resource.
class PmrBuffer {
 public:
  using space_type = space::Host;
  static constexpr std::size_t alignment = 64;  ///< of the first byte

  PmrBuffer() = default;
  /// Throws: Error, if the resource has too little memory; anything else that the resource throws.
  PmrBuffer(std::size_t size, std::pmr::memory_resource* resource);
  PmrBuffer(std::size_t size, Queue<space::Host>& on) : PmrBuffer{size, on.resource()} {}
  PmrBuffer(PmrBuffer&& other) noexcept { swap(other); }
  PmrBuffer& operator=(PmrBuffer&& other) noexcept;
  ~PmrBuffer() {
    if (data_) resource_->deallocate(data_, padded(size_), alignment);
  }

  ByteView<space::Host> view() const;
  ByteSpan<space::Host> span();

 private:
  // Pools of libstdc++ 12 align a block only to the largest power of two that divides its size: 80 bytes to 16.
  static std::size_t padded(std::size_t size);
  void swap(PmrBuffer& other) noexcept;

  std::pmr::memory_resource* resource_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

static_assert(AllocatableBuffer<PmrBuffer>);

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/buffer/detail/pmr_buffer.ipp>
#endif
