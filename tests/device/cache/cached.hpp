// Common code of tests of caches on the device.
#pragma once
#include <cstdint>
#include <vector>

#include <tessera/cache/chunk_cache.hpp>
#include <tessera/tessera.cuh>

#include <device/arrays.hpp>

namespace test {

/// An array of 16 * 16 numbers to a chunk, 1 KiB, that counts from 1 on, whose host side is compressed.
inline auto cached_array(tessera::Extents const& shape, DeviceQueue const& on,
                         tessera::MemoryStore<tessera::HostBuffer> const& store = {}) {
  using namespace tessera;
  auto const array =
      create_array<std::int32_t, 2>(store, "a", {.shape = shape, .chunks = {16, 16}}, Compressed{}, on);
  array.through<space::Host>().write(all, numbers_from<std::int32_t>(1, shape[0] * shape[1]));
  return array;
}
inline constexpr std::uint64_t cached_chunk = 16 * 16 * sizeof(std::int32_t);

/// Only the first row of chunks spills.
struct FirstRow {
  template <tessera::MemorySpace S>
  static bool keeps(tessera::Extents const& chunk) {
    return std::same_as<S, tessera::space::Device> || chunk[0] == 0;
  }
};

/// The elements of a held chunk, once the queue has reached this point.
template <class Held>
std::vector<std::int32_t> elements_of(Held const& held, tessera::Extents const& chunk, DeviceQueue& on) {
  using namespace tessera;
  using Space = typename std::remove_cvref_t<decltype(held.view)>::space_type;
  std::vector<std::int32_t> whole(chunk[0] * chunk[1]), result;
  ByteView<Space> const from{reinterpret_cast<std::byte const*>(held.view.data), whole.size() * sizeof(std::int32_t)};
  crossing<space::Host, Space>::copy(from, room_in(whole), queue_between<space::Host, Space>(on));
  on.wait();
  for (std::uint64_t i = 0; i < held.view.shape[0]; ++i)
    for (std::uint64_t j = 0; j < held.view.shape[1]; ++j) result.push_back(whole[i * chunk[1] + j]);
  return result;
}
/// Their values, in an array of that many columns that counts from 1 on.
template <class Held>
std::vector<std::int32_t> expected_of(Held const& held, std::uint64_t columns) {
  std::vector<std::int32_t> result;
  for (std::uint64_t i = 0; i < held.view.shape[0]; ++i)
    for (std::uint64_t j = 0; j < held.view.shape[1]; ++j)
      result.push_back(static_cast<std::int32_t>(1 + (held.first[0] + i) * columns + held.first[1] + j));
  return result;
}

}  // namespace test
