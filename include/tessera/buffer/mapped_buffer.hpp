// Bytes of a file where they lie in the system's cache: nothing is copied, and nothing is read before it is touched.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/pages.hpp>

namespace tessera::inline v0 {

/// A range of a file, read only; it need not begin at a page. It keeps the file that it was made of: LocalStore::map
/// gives a value as it is then, and writing the key leaves it be, for a new value is a new file.
/// A file that is changed in place shows its changes; one that is made shorter ends the program with SIGBUS when bytes
/// beyond its new end are touched. Map files that only tessera writes, or read those that others may cut.
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

}  // namespace tessera::inline v0
