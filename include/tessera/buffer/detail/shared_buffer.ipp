#pragma once
#include <tessera/buffer/detail/shared_buffer.hpp>

#include <tessera/buffer/detail/memory_file.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL ByteSpan<space::Host> SharedBuffer::span_of(detail::MemoryFile const* file) {
  return file ? ByteSpan<space::Host>{file->data(), file->size()} : ByteSpan<space::Host>{};
}

}}  // namespace tessera::v0
