// Arrow's C device data interface (https://arrow.apache.org/docs/format/CDeviceDataInterface.html): hand_over gives
// columns in device memory to other libraries, take_over uses arrays of theirs. Messages of Arrow's IPC format with
// bodies in device memory: batch_messages writes them, MessageReader reads them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include <tessera/array/detail/run_call.hpp>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/core/error.hpp>
#include <tessera/memory/queue.cuh>
#include <tessera/with/arrow/c_data.hpp>
#include <tessera/with/arrow/messages.hpp>
#include <tessera/with/detail/arrow/arrow_device.cuh>
#include <tessera/with/detail/arrow/arrow_taken.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c {

/// As Exported, of a device. `sync_event` points to a `cudaEvent_t`, which is valid until the array is released.
struct ExportedOnDevice {
  Owned<ArrowSchema> schema;      ///< names and types, in host memory
  Owned<ArrowDeviceArray> array;  ///< the elements
};
/// A column in the memory of the device of `on`, for another library, which waits for `sync_event`, on the host or by
/// its stream: the event comes after the work that `on` has so far. This call does not wait. The last release waits for
/// the device before it frees the memory or returns the leases, because the interface does not tell which of the
/// consumer's streams use it. While a stream of the device is captured into a graph, CUDA refuses to wait, and the
/// capture fails: then the memory stays until the next release, or `on.trim()`. Throws: DeviceError; ExchangeError, if
/// a length is above 2^63.
inline ExportedOnDevice hand_over(Column<space::Device> column, Queue<space::Device>& on) {
  auto const guard = std::make_shared<detail::UntilReleased>(on.shared_stream());
  detail::keep_all(column, guard);
  auto schema = detail::schema_of(column);
  ArrowDeviceArray made{};
  detail::array_of(column).move_to(&made.array);
  made.device_id = on.device(), made.device_type = ARROW_DEVICE_CUDA;
  made.sync_event = guard->event();
  return {std::move(schema), Owned<ArrowDeviceArray>{&made}};
}

/// Another library's array in the memory of the device of `on`, in place, for later work of `on`, which comes after the
/// array's `sync_event`; the host does not wait. Order other queues after `on`. The schema stays the caller's. The
/// array is released when the column and all its copies are destroyed, from any thread; that waits for the device's
/// work, as the release of an array that was handed over. The lengths of buffers are not in the interface: the library
/// that made the array is trusted. A column without elements may have its buffers anywhere; those outside the device's
/// memory become null. Throws: ExchangeError, if the array is elsewhere, or contradicts its schema, or for a type that
/// the library does not have; DeviceError. The array is released then, too.
inline Column<space::Device> take_over(ArrowSchema const& schema, Owned<ArrowDeviceArray> array,
                                       Queue<space::Device>& on) {
  if (!schema.release || array.empty()) throw ExchangeError{"the schema or the array was released or moved"};
  auto const [type, device] = std::pair{array.get().device_type, array.get().device_id};
  if (type != ARROW_DEVICE_CUDA || device != on.device())
    throw ExchangeError{to_text({"the array is in memory of Arrow's device type ", type, ", device ", device,
                                 ", expected type ", ARROW_DEVICE_CUDA, " (CUDA), device ", on.device(),
                                 ", that of the queue"})};
  auto const taken = std::make_shared<detail::TakenArray>(std::move(array), on.shared_stream());
  auto column = detail::taken_column<space::Device>(schema, taken->get().array, taken);
  {
    tessera::detail::InContext const here{on.shared_stream()->context()};
    detail::expect_on_device(column, on.device());
  }
  taken->hold_back();
  return column;
}

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
