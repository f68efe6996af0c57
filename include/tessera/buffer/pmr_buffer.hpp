// Bytes from a memory resource of the caller's.
#pragma once
#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/memory/queue.hpp>

namespace tessera { inline namespace v0 {

/// Aligned to 64 bytes, uninitialised. The resource is the one given, or that of the queue, and outlives the buffer. If
/// stores and threads share buffers, it must be safe to share, e.g. std::pmr::synchronized_pool_resource.
class PmrBuffer {
 public:
  using space_type = space::Host;
  static constexpr std::size_t alignment = 64;

  PmrBuffer() = default;
  /// Throws: Error, if the resource has too little memory; whatever else the resource throws.
  PmrBuffer(std::size_t size, std::pmr::memory_resource* resource) : resource_{resource}, size_{size} {
    try {
      if (size != 0) data_ = static_cast<std::byte*>(resource->allocate(padded(size), alignment));
    } catch (std::bad_alloc const&) {
      throw Error{text({"cannot allocate ", size, " bytes from the memory resource"})};
    }
  }
  PmrBuffer(std::size_t size, Queue<space::Host>& on) : PmrBuffer{size, on.resource()} {}
  PmrBuffer(PmrBuffer&& other) noexcept { swap(other); }
  PmrBuffer& operator=(PmrBuffer&& other) noexcept {
    PmrBuffer empty;
    swap(empty), swap(other);
    return *this;
  }
  ~PmrBuffer() {
    if (data_) resource_->deallocate(data_, padded(size_), alignment);
  }

  ByteView<space::Host> view() const { return {data_, size_}; }
  ByteSpan<space::Host> span() { return {data_, size_}; }

 private:
  // Pools of libstdc++ 12 align a block no better than its size is: 80 bytes by 16.
  static std::size_t padded(std::size_t size) {
    if (size > std::numeric_limits<std::size_t>::max() - alignment) throw std::bad_alloc{};
    return (size + alignment - 1) / alignment * alignment;
  }

  void swap(PmrBuffer& other) noexcept {
    std::swap(resource_, other.resource_), std::swap(data_, other.data_), std::swap(size_, other.size_);
  }

  std::pmr::memory_resource* resource_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

static_assert(AllocatableBuffer<PmrBuffer>);

}}  // namespace tessera::v0
