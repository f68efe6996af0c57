// Bytes of the host that other processes can map: what is read into them can be published without a copy.
#pragma once
#include <cstddef>
#include <memory>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/memory_file.hpp>
#include <tessera/memory/queue.hpp>

namespace tessera { inline namespace v0 {

/// A memory file of its own (Linux), aligned to a page, zeros. It takes whole pages and a descriptor, so use it for
/// what is published, `array.read<SharedBuffer>(all)`, and not for chunks. A moved-from one is empty.
class SharedBuffer {
 public:
  using space_type = space::Host;

  SharedBuffer() = default;
  /// Throws: Error, if there is too little memory, or too few descriptors.
  explicit SharedBuffer(std::size_t size) {
    if (size != 0) file_ = std::make_shared<detail::MemoryFile>(size);
  }
  SharedBuffer(std::size_t size, Queue<space::Host>&) : SharedBuffer{size} {}
  SharedBuffer(SharedBuffer&&) = default;
  SharedBuffer& operator=(SharedBuffer&&) = default;

  ByteView<space::Host> view() const { return span_of(file_.get()); }
  ByteSpan<space::Host> span() { return span_of(file_.get()); }
  /// Null, if it is empty. Copies of the pointer keep the memory.
  std::shared_ptr<detail::MemoryFile const> file() const { return file_; }

 private:
  static ByteSpan<space::Host> span_of(detail::MemoryFile const* file) {
    return file ? ByteSpan<space::Host>{file->data(), file->size()} : ByteSpan<space::Host>{};
  }

  std::shared_ptr<detail::MemoryFile> file_;
};

static_assert(AllocatableBuffer<SharedBuffer>);

}}  // namespace tessera::v0
