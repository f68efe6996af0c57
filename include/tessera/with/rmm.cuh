// RMM's containers as memory for reads and writes of arrays. Needs RMM 25.10 or later (Apache-2.0). RMM's memory
// resources need no header: MemoryResource accepts them.
#pragma once
#include <cstddef>

#include <rmm/device_buffer.hpp>
#include <rmm/device_scalar.hpp>
#include <rmm/device_uvector.hpp>

#include <tessera/view/contiguous_memory.hpp>

namespace tessera { inline namespace v0 {

// Reads and writes follow the order of the queue's stream; RMM allocates and frees containers in the order of theirs. A
// queue of the same stream, `Queue<space::Device>{stream}`, follows both.
template <class T>
struct contiguous_memory<rmm::device_uvector<T>> : memory_in<space::Device> {};
template <class T>
struct contiguous_memory<rmm::device_scalar<T>> : memory_in<space::Device> {};

/// Bytes. For elements, make an ArrayView:
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
