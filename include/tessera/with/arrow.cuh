// Arrow's C device data interface (https://arrow.apache.org/docs/format/CDeviceDataInterface.html): hand_over gives
// columns in device memory to other libraries.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>

#include <tessera/memory/queue.cuh>
#include <tessera/with/arrow.hpp>
#include <tessera/with/detail/arrow/arrow_device.cuh>

namespace tessera { inline namespace v0 { namespace arrow_c {

/// As Exported, of a device. `sync_event` points to a `cudaEvent_t`, which is valid until the array is released.
struct ExportedOnDevice {
  Owned<ArrowSchema> schema;      ///< names and types, in host memory
  Owned<ArrowDeviceArray> array;  ///< the elements
};
/// A column in the memory of the device of `on`, for another library, which waits for `sync_event`, on the host or by
/// its stream: the event comes after the work that `on` has so far. The host waits for nothing here. The last release
/// waits for the device before it frees the memory or returns the leases, because the interface does not tell which of
/// the consumer's streams use it. Throws: DeviceError; ExchangeError, if a length is above 2^63.
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

}}}  // namespace tessera::v0::arrow_c
