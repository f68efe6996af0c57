#pragma once
#include <tessera/buffer/host_buffer.hpp>

#include <cstddef>
#include <new>

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

}}  // namespace tessera::v0
