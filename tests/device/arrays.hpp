// Common code of tests of arrays in device memory: pipelines, and moving elements there and back.
#pragma once
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <device/device.hpp>
#include <tessera/with/all.hpp>

namespace test {

/// Only elements, in a store on the device or on the host.
using OnDevice = tessera::Pipeline<tessera::space::Device, tessera::codec::Bytes>;
using FromHost =
    tessera::Pipeline<tessera::space::Device, tessera::codec::Bytes, tessera::CastTo<tessera::space::Host>>;
/// The CPU's compressor for arrays on the device.
using Compressed = tessera::Pipeline<tessera::space::Device, tessera::codec::Bytes,
                                     tessera::CastTo<tessera::space::Host>, tessera::codec::Zstd>;
/// Whatever codecs the file has.
using Known = tessera::AnyPipeline<tessera::space::Device, tessera::space::Host, tessera::AllCodecs>;

/// Documents in one store, chunks in device memory.
inline auto in_device_memory() {
  return tessera::SplitStore{tessera::MemoryStore<tessera::HostBuffer>{},
                             tessera::MemoryStore<tessera::DeviceBuffer>{}};
}
inline auto files_of_the_device(std::string const& folder) {
  return tessera::SplitStore{tessera::LocalStore<tessera::HostBuffer>{folder},
                             tessera::LocalStore<tessera::DeviceBuffer>{folder}};
}

template <class T>
tessera::ByteView<tessera::space::Host> bytes_of(std::vector<T> const& elements) {
  return {reinterpret_cast<std::byte const*>(elements.data()), elements.size() * sizeof(T)};
}
template <class T>
tessera::ByteSpan<tessera::space::Host> room_in(std::vector<T>& elements) {
  return {reinterpret_cast<std::byte*>(elements.data()), elements.size() * sizeof(T)};
}

/// The elements of memory of any space, once the queue has reached this point.
template <class T, std::size_t Rank, class B>
std::vector<T> on_host(tessera::OwnedArray<T, Rank, B> const& array, DeviceQueue& on) {
  using Space = typename B::space_type;
  std::vector<T> result(array.size());
  tessera::ByteView<Space> const from{reinterpret_cast<std::byte const*>(array.data()), result.size() * sizeof(T)};
  tessera::crossing<tessera::space::Host, Space>::copy(from, room_in(result),
                                                       tessera::queue_between<tessera::space::Host, Space>(on));
  on.wait();
  return result;
}

/// Memory of buffers B with these elements, by default on the device.
template <class T, std::size_t Rank, class B = tessera::DeviceBuffer>
tessera::OwnedArray<T, Rank, B> on_device(std::vector<T> const& elements, tessera::Extents const& shape,
                                          DeviceQueue& on) {
  using Space = typename B::space_type;
  tessera::OwnedArray<T, Rank, B> array{shape, tessera::queue_in<Space>(on)};
  tessera::ByteSpan<Space> const to{reinterpret_cast<std::byte*>(array.data()), elements.size() * sizeof(T)};
  tessera::crossing<Space, tessera::space::Host>::copy(bytes_of(elements), to,
                                                       tessera::queue_between<Space, tessera::space::Host>(on));
  on.wait();
  return array;
}

/// first, first + 1 ...
template <class T>
std::vector<T> numbers_from(T first, std::size_t count) {
  std::vector<T> result(count);
  std::iota(result.begin(), result.end(), first);
  return result;
}

#if defined(TESSERA_CUDA_EMULATION)
/// Copies of every kind.
inline std::size_t copies(emulation::Watch const& watch) {
  return watch.copies(cudaMemcpyHostToDevice) + watch.copies(cudaMemcpyDeviceToHost) +
         watch.copies(cudaMemcpyDeviceToDevice) + watch.copies(cudaMemcpyHostToHost);
}
/// Calls that allocate or free memory of any space.
inline std::size_t allocations(emulation::Watch const& watch) {
  std::size_t count = 0;
  for (auto const& call : watch.calls()) {
    std::string_view const name = call.name;
    count += name.find("Malloc") != name.npos || name.find("Alloc") != name.npos || name.find("Free") != name.npos;
  }
  return count;
}
/// Whether f allocates nothing once it was called often enough. How many blocks are in use at once depends on how far
/// the device is behind; code that allocates for itself does so every time.
template <class F>
bool comes_to_allocate_nothing(F&& f) {
  for (int round = 0; round < 20; ++round) {
    emulation::Watch const watch;
    f();
    if (round > 1 && allocations(watch) == 0) return true;
  }
  return false;
}
#endif

}  // namespace test
