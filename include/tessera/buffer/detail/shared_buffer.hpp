// SharedBuffer: bytes in host memory that other processes can map, so that read data is published without a copy.
#pragma once
#include <cstddef>
#include <memory>

#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/detail/memory_file.hpp>
#include <tessera/memory/queue.hpp>

namespace tessera { inline namespace v0 {

/// A memory file (Linux), aligned to a page, initially zeros. It occupies whole pages and a descriptor, so use it to
/// publish data, `array.read<SharedBuffer>(all)`, not for chunks. A moved-from buffer is empty.
class SharedBuffer {
 public:
  using space_type = space::Host;

  SharedBuffer() = default;
  /// Throws: Error, if too little memory or too few descriptors are free.
  explicit SharedBuffer(std::size_t size) {
    if (size != 0) file_ = std::make_shared<detail::MemoryFile>(size);
  }
  SharedBuffer(std::size_t size, Queue<space::Host>&) : SharedBuffer{size} {}
  SharedBuffer(SharedBuffer&&) = default;
  SharedBuffer& operator=(SharedBuffer&&) = default;

  ByteView<space::Host> view() const { return span_of(file_.get()); }
  ByteSpan<space::Host> span() { return span_of(file_.get()); }
  /// The memory file; null, if the buffer is empty. Copies of the pointer keep the memory alive.
  std::shared_ptr<detail::MemoryFile const> file() const { return file_; }

 private:
  static ByteSpan<space::Host> span_of(detail::MemoryFile const* file);

  std::shared_ptr<detail::MemoryFile> file_;
};

static_assert(AllocatableBuffer<SharedBuffer>);

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/buffer/detail/shared_buffer.ipp>
#endif
