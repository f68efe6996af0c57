// Bytes in ordinary host memory.
#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/queue.hpp>

namespace tessera::inline v0 {

/// Aligned to 64 bytes, uninitialised. A moved-from one is empty.
class HostBuffer {
 public:
  using space_type = space::Host;
  static constexpr std::size_t alignment = 64;

  HostBuffer() = default;
  /// Throws: Error, if there is not so much memory.
  explicit HostBuffer(std::size_t size) : size_{size} {
    if (size == 0) return;
    data_.reset(static_cast<std::byte*>(::operator new (size, std::align_val_t{alignment}, std::nothrow)));
    if (!data_) throw Error{"cannot allocate " + std::to_string(size) + " bytes of host memory"};
  }
  HostBuffer(std::size_t size, Queue<space::Host>&) : HostBuffer{size} {}
  HostBuffer(HostBuffer&& other) noexcept : data_{std::move(other.data_)}, size_{std::exchange(other.size_, 0)} {}
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  ByteView<space::Host> view() const { return {data_.get(), size_}; }
  ByteSpan<space::Host> span() { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{alignment}); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

static_assert(AllocatableBuffer<HostBuffer>);

template <>
struct buffer_in<space::Host> {
  using type = HostBuffer;
};

}  // namespace tessera::inline v0
