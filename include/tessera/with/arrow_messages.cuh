// Messages of Arrow's IPC format with bodies in device memory: batch_messages writes them, MessageReader reads them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include <tessera/array/detail/run_call.hpp>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/core/error.hpp>
#include <tessera/memory/queue.cuh>
#include <tessera/with/arrow_messages.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c {

/// The messages of a table's elements, as for host memory; no element is copied. To the host go only the last offset of
/// each column of strings, and masks of columns whose nulls are not counted: it waits for `on` for these. Throws:
/// ExchangeError also, if bits of a slice do not begin with a byte; DeviceError.
inline std::vector<Message<space::Device>> batch_messages(Column<space::Device> const& table,
                                                          Queue<space::Device>& on) {
  return detail::batches_of(table, [&on](void* to, void const* from, std::size_t size) {
    tessera::detail::InContext const here{on.shared_stream()->context()};
    tessera::detail::check(::cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, on.stream()), "cudaMemcpyAsync");
    on.wait();
  });
}

/// Copies a message's buffers to the places that they have in its body, in memory of the same device. The bytes are
/// there in the order of `on`, which keeps the buffers until then. Throws: ExchangeError, if there are fewer than
/// `body_size` bytes; DeviceError.
inline void put_body(Message<space::Device> const& message, ByteSpan<space::Device> to, Queue<space::Device>& on) {
  if (to.size < message.body_size)
    throw ExchangeError{to_text({"there are ", to.size, " bytes, expected ", message.body_size, " of a body"})};
  tessera::detail::InContext const here{on.shared_stream()->context()};
  try {
    for (auto const& part : message.body)
      tessera::detail::check(::cudaMemcpyAsync(to.data + part.offset, part.bytes.data, part.bytes.size,
                                               cudaMemcpyDeviceToDevice, on.stream()),
                             "cudaMemcpyAsync");
    on.keep(message.owner);
  } catch (...) {  // the caller may now free memory of copies in progress
    tessera::detail::wait_and_throw(on);
  }
}

}}}  // namespace tessera::v0::arrow_c
