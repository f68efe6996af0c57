// Bytes of a file where they lie in the system's cache: nothing is copied, and nothing is read before it is touched.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/pages.hpp>

namespace tessera { inline namespace v0 {

/// A range of a file, read only; it need not begin at a page. It keeps the file that it was made of: LocalStore::map
/// gives a value as it is then, and writing the key leaves it be, for a new value is a new file.
/// A file that is changed in place shows its changes. One that somebody makes shorter, or whose disk fails, ends the
/// program with SIGBUS where lost bytes are touched, for the library sets no signal handlers; those of its last page
/// read as zeros. Map files that only tessera writes, and read others: a read throws StoreError. A program that must
/// map such a file puts zeros where the signal came from, and looks at the file when it is done, as
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
