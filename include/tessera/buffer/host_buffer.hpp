// Bytes in ordinary host memory.
#pragma once
#include <cstddef>
#include <new>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/pages.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/memory/queue.hpp>

namespace tessera { inline namespace v0 {

/// Aligned to 64 bytes, uninitialised. A moved-from one is empty. Large ones, of 4 MiB and more, are aligned to 2 MiB
/// and ask for huge pages: faults on fresh memory cost more than decompression does.
class HostBuffer {
 public:
  using space_type = space::Host;
  static constexpr std::size_t alignment = 64;

  HostBuffer() = default;
  /// Throws: Error, if there is too little memory.
  explicit HostBuffer(std::size_t size) : size_{size} {
    if (size == 0) return;
    data_ = static_cast<std::byte*>(::operator new(size, alignment_of(size), std::nothrow));
    if (!data_) throw Error{text({"cannot allocate ", size, " bytes of host memory"})};
    if (is_large(size)) detail::pages::want_huge(data_, size);
  }
  HostBuffer(std::size_t size, Queue<space::Host>&) : HostBuffer{size} {}
  HostBuffer(HostBuffer&& other) noexcept { swap(other); }
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    HostBuffer empty;
    swap(empty), swap(other);
    return *this;
  }
  ~HostBuffer() {
    if (data_) ::operator delete(data_, alignment_of(size_));
  }

  ByteView<space::Host> view() const { return {data_, size_}; }
  ByteSpan<space::Host> span() { return {data_, size_}; }

 private:
  static bool is_large(std::size_t size) { return size >= 2 * detail::pages::huge; }
  static std::align_val_t alignment_of(std::size_t size) {
    return std::align_val_t{is_large(size) ? detail::pages::huge : alignment};
  }
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
