// HostBuffer: bytes in ordinary host memory.
#pragma once
#include <cstddef>
#include <new>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/detail/pages.hpp>
#include <tessera/memory/queue.hpp>

namespace tessera { inline namespace v0 {

/// Aligned to 64 bytes, uninitialised. A moved-from buffer is empty. Buffers of 4 MiB and more are aligned to 2 MiB and
/// ask for huge pages: page faults on fresh memory cost more than decompression.
class HostBuffer {
 public:
  using space_type = space::Host;
  static constexpr std::size_t alignment = 64;  ///< of the first byte

  HostBuffer() = default;
  /// Throws: HostOutOfMemory, if too little memory is free.
  explicit HostBuffer(std::size_t size);
  HostBuffer(std::size_t size, Queue<space::Host>&) : HostBuffer{size} {}
  HostBuffer(HostBuffer&& other) noexcept { swap(other); }
  HostBuffer& operator=(HostBuffer&& other) noexcept;
  ~HostBuffer() {
    if (data_) ::operator delete(data_, alignment_of(size_));
  }

  ByteView<space::Host> view() const { return {data_, size_}; }
  ByteSpan<space::Host> span() { return {data_, size_}; }

 private:
  static bool is_large(std::size_t size) { return size >= 2 * detail::pages::huge; }
  static std::align_val_t alignment_of(std::size_t size);
  void swap(HostBuffer& other) noexcept { std::swap(data_, other.data_), std::swap(size_, other.size_); }

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

static_assert(AllocatableBuffer<HostBuffer>);

template <>
struct buffer_in<space::Host> {
  using type = HostBuffer;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/buffer/detail/host_buffer.ipp>
#endif
