// MappedBuffer: bytes of a file in the system's page cache, neither copied nor read before they are touched.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/detail/pages.hpp>

namespace tessera { inline namespace v0 {

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
#include <tessera/buffer/detail/mapped_buffer.ipp>
#endif
