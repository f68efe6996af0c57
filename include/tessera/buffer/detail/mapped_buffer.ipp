#pragma once
#include <tessera/buffer/mapped_buffer.hpp>

#include <tessera/buffer/detail/pages.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL ByteView<space::Host> MappedBuffer::view() const { return {mapping_.data(), mapping_.size()}; }

}}  // namespace tessera::v0
