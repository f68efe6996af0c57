#pragma once
#include <tessera/buffer/pmr_buffer.hpp>

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>
#include <utility>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

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

}}  // namespace tessera::v0
