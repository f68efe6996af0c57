// Just enough of a device for programs that must not compile: no toolkit is needed to make a mistake of space.
#pragma once
#include <tessera/tessera.hpp>

namespace tessera {
template <>
class Event<space::Device> {};
template <>
class Queue<space::Device> {
 public:
  Queue<space::Host>& host() { return host_; }
  template <class T>
  Lease<T> lease() {
    return host_.lease<T>();
  }
  void wait() {}
  template <class T>
  void keep(T) {}
  Event<space::Device> record() { return {}; }
  void after(Event<space::Device> const&) {}

 private:
  Queue<space::Host> host_;
};
}  // namespace tessera

struct DeviceBuffer {
  using space_type = tessera::space::Device;
  DeviceBuffer() = default;
  DeviceBuffer(std::size_t, tessera::Queue<tessera::space::Device>&);
  tessera::ByteView<tessera::space::Device> view() const;
  tessera::ByteSpan<tessera::space::Device> span();
};

/// A store of device buffers.
struct DeviceStore {
  using buffer_type = DeviceBuffer;
  std::optional<std::size_t> read(tessera::Key const&, tessera::ByteRange, tessera::Room<tessera::space::Device>,
                                  tessera::Queue<tessera::space::Device>&) const;
  void write(tessera::Key const&, tessera::ByteView<tessera::space::Device>, tessera::Queue<tessera::space::Device>&) const;
  bool erase(tessera::Key const&, tessera::Queue<tessera::space::Device>&) const;
};

template <>
struct tessera::buffer_in<tessera::space::Device> {
  using type = DeviceBuffer;
};
template <>
struct tessera::placer<tessera::space::Device> {
  static std::uint64_t place(std::span<Placement<space::Device> const>, ElementForm, Queue<space::Device>&);
};
template <>
struct tessera::crossing<tessera::space::Device, tessera::space::Host> {
  static void copy(ByteView<space::Host>, ByteSpan<space::Device>, Queue<space::Device>&);
};
