#pragma once
#include <tessera/buffer/detail/scratch.hpp>

#include <cstddef>
#include <memory_resource>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/memory/queue.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL ByteSpan<space::Host> Scratch<space::Host>::take(std::size_t n, Queue<space::Host>& on) {
  if (held() < n) {
    plain_ = {}, pooled_ = {};
    if (on.resource() == std::pmr::new_delete_resource())
      plain_ = HostBuffer(n, on);
    else
      pooled_ = PmrBuffer(n, on);
  }
  return (pooled_.view().size > 0 ? pooled_.span() : plain_.span()).sub(0, n);
}

}}  // namespace tessera::v0
