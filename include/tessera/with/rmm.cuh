// RMM's containers as memory that arrays are read into and written from. Needs RMM (Apache-2.0), of 25.10 or later. Its
// memory resources need no header: MemoryResource takes them as they are.
#pragma once
#include <cstddef>

#include <rmm/device_buffer.hpp>
#include <rmm/device_scalar.hpp>
#include <rmm/device_uvector.hpp>

#include <tessera/view/contiguous_memory.hpp>

namespace tessera { inline namespace v0 {

// Work that a read or write queued is in the order of the queue's stream, and RMM's containers are allocated and freed
// in the order of theirs: a queue of that stream, `Queue<space::Device>{stream}`, is in both.
template <class T>
struct contiguous_memory<rmm::device_uvector<T>> : memory_in<space::Device> {};
template <class T>
struct contiguous_memory<rmm::device_scalar<T>> : memory_in<space::Device> {};

/// Bytes. Elements of it are an ArrayView's:
/// `ArrayView<T, 2, space::Device>::c_order(static_cast<T*>(buffer.data()), {rows, columns})`.
template <>
struct contiguous_memory<rmm::device_buffer> {
  using space = space::Device;
  static std::byte* data(rmm::device_buffer& buffer) { return static_cast<std::byte*>(buffer.data()); }
  static std::byte const* data(rmm::device_buffer const& buffer) {
    return static_cast<std::byte const*>(buffer.data());
  }
  static std::size_t size(rmm::device_buffer const& buffer) { return buffer.size(); }
};

}}  // namespace tessera::v0
