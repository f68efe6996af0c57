#pragma once
#include <tessera/buffer/host_buffer.hpp>

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>
#include <utility>

#include <tessera/buffer/detail/pages.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL HostBuffer::HostBuffer(std::size_t size) : size_{size} {
  if (size == 0) return;
  data_ = static_cast<std::byte*>(::operator new(size, alignment_of(size), std::nothrow));
  if (!data_) throw HostOutOfMemory{to_text({"cannot allocate ", size, " bytes of host memory"})};
  if (is_large(size)) detail::pages::want_huge(data_, size);
}

TESSERA_DECL HostBuffer& HostBuffer::operator=(HostBuffer&& other) noexcept {
  HostBuffer empty;
  swap(empty), swap(other);
  return *this;
}

TESSERA_DECL std::align_val_t HostBuffer::alignment_of(std::size_t size) {
  return std::align_val_t{is_large(size) ? detail::pages::huge : alignment};
}

TESSERA_DECL PmrBuffer::PmrBuffer(std::size_t size, std::pmr::memory_resource* resource)
    : resource_{resource}, size_{size} {
  try {
    if (size != 0) data_ = static_cast<std::byte*>(resource->allocate(padded(size), alignment));
  } catch (std::bad_alloc const&) {
    throw Error{to_text({"cannot allocate ", size, " bytes from the memory resource"})};
  }
}

TESSERA_DECL PmrBuffer& PmrBuffer::operator=(PmrBuffer&& other) noexcept {
  PmrBuffer empty;
  swap(empty), swap(other);
  return *this;
}

TESSERA_DECL ByteView<space::Host> PmrBuffer::view() const { return {data_, size_}; }

TESSERA_DECL ByteSpan<space::Host> PmrBuffer::span() { return {data_, size_}; }

TESSERA_DECL std::size_t PmrBuffer::padded(std::size_t size) {
  if (size > std::numeric_limits<std::size_t>::max() - alignment) throw std::bad_alloc{};
  return (size + alignment - 1) / alignment * alignment;
}

TESSERA_DECL void PmrBuffer::swap(PmrBuffer& other) noexcept {
  std::swap(resource_, other.resource_), std::swap(data_, other.data_), std::swap(size_, other.size_);
}

TESSERA_DECL ByteView<space::Host> MappedBuffer::view() const { return {mapping_.data(), mapping_.size()}; }

}}  // namespace tessera::v0
