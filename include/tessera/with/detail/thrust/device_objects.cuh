// DeviceObjects: objects in device memory; copy_to_host brings some to the host.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/core/detail/checked.hpp>
#include <tessera/memory/queue.cuh>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// `count` objects, uninitialised, allocated and freed in the queue's order.
template <class T>
class DeviceObjects {
 public:
  DeviceObjects() = default;
  DeviceObjects(std::uint64_t count, Queue<space::Device>& on)
      : memory_(checked_size(checked_product(count, sizeof(T), "a selection"), "a selection"), on) {}
  T* data() { return reinterpret_cast<T*>(memory_.span().data); }
  T const* data() const { return reinterpret_cast<T const*>(memory_.view().data); }

 private:
  DeviceBuffer memory_{};
};

/// Waits for the copy.
template <class T>
void copy_to_host(T const* from, std::span<T> to, Queue<space::Device>& on) {
  crossing<space::Host, space::Device>::copy({reinterpret_cast<std::byte const*>(from), to.size_bytes()},
                                             {reinterpret_cast<std::byte*>(to.data()), to.size_bytes()}, on);
  on.wait();
}

}}}  // namespace tessera::v0::detail
