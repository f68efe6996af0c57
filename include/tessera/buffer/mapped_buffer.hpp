// Bytes of a file where they lie in the system's cache: nothing is copied, and nothing is read before it is touched.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/pages.hpp>

namespace tessera { inline namespace v0 {

/// A range of a file, read only, which need not begin at a page. It keeps the file that it was made of: LocalStore::map
/// gives a value as it is at the call, and writing the key does not change it, because a new value is a new file. A
/// file that is changed in place shows its changes. If somebody shortens a file, or its disk fails, the program ends
/// with SIGBUS where it touches lost bytes, because the library sets no signal handlers; lost bytes of the last page
/// read as zeros. So map only files that tessera alone writes, and read others: a read throws StoreError. A program
/// that must map other files puts zeros where the signal came from, and looks at the file when it is done, as
/// command/mapped_file.hpp does.
class MappedBuffer {
 public:
  using space_type = space::Host;

  MappedBuffer() = default;
  /// `file` is an open descriptor; it may be closed afterwards. Requires: the range is in the file.
  /// Throws: StoreError, if the system cannot map it.
  MappedBuffer(int file, std::uint64_t offset, std::size_t size) : mapping_{file, offset, size} {}

  ByteView<space::Host> view() const { return {mapping_.data(), mapping_.size()}; }

 private:
  detail::pages::Mapping mapping_;
};

static_assert(Buffer<MappedBuffer> && !AllocatableBuffer<MappedBuffer>);

}}  // namespace tessera::v0
