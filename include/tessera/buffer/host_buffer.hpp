// Bytes in host memory. HostBuffer: in ordinary memory. PmrBuffer: from a std::pmr memory resource of the caller.
// MappedBuffer: of a file in the system's page cache, neither copied nor read before they are touched.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory_resource>
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

/// A read-only range of a file, which need not begin at a page. It keeps its file: LocalStore::map returns a value as
/// it is at the call, and later writes of the key do not change it, because a new value is a new file. A file changed
/// in place shows its changes. If another process shortens the file, or its disk fails, touching lost bytes ends the
/// program with SIGBUS, because the library sets no signal handlers; lost bytes of the last page read as zeros. So map
/// only files that tessera alone writes, and read others: a read throws StoreError. A program that must map other files
/// can handle the signal by putting zeros there, and check the file at the end, as command/mapped_file.hpp does.
class MappedBuffer {
 public:
  using space_type = space::Host;

  MappedBuffer() = default;
  /// `file` is an open descriptor, which may be closed afterwards. Requires: the range is in the file. Throws:
  /// StoreError, if the system cannot map it.
  MappedBuffer(int file, std::uint64_t offset, std::size_t size) : mapping_{file, offset, size} {}

  ByteView<space::Host> view() const;

 private:
  detail::pages::Mapping mapping_;
};

static_assert(Buffer<MappedBuffer> && !AllocatableBuffer<MappedBuffer>);

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/buffer/detail/host_buffer.ipp>
#endif
