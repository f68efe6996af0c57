// numcodecs' shuffle in device memory: a thread for each byte.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/codec/bytes_to_bytes/shuffle.hpp>
#include <tessera/codec/detail/kernels_of.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// Byte i of the transposed matrix of bytes `from`.
struct ShuffledByte {
  std::uint64_t columns, rows;  ///< of `from`
  TESSERA_HOST_DEVICE bool operator()(std::byte const* from, std::byte* to, std::uint64_t i) const {
    to[i] = from[i % rows * columns + i / rows];
    return true;
  }
};

template <>
struct KernelsOf<codec::Shuffle> {
  template <class DeviceQueue>
  static void decode(codec::Shuffle const& codec, ChunkSpecification const&, std::span<CodecTask<space::Device>> batch,
                     DeviceQueue& on) {
    run(codec, batch, on, [&](std::uint64_t count) { return ShuffledByte{count, codec.size()}; });
  }
  template <class DeviceQueue>
  static void encode(codec::Shuffle const& codec, ChunkSpecification const&, std::span<CodecTask<space::Device>> batch,
                     DeviceQueue& on) {
    run(codec, batch, on, [&](std::uint64_t count) { return ShuffledByte{codec.size(), count}; });
  }

 private:
  template <class DeviceQueue, class Make>
  static void run(codec::Shuffle const& codec, std::span<CodecTask<space::Device>> batch, DeviceQueue& on,
                  Make&& make) {
    launch_places(batch, on, [&](CodecTask<space::Device>& task) {
      auto const count = codec.count(task.from.size, task.to.size);
      task.size = task.from.size;
      return PlacesOfChunk<ShuffledByte>{make(count), task.size};
    });
  }
};

}}}  // namespace tessera::v0::detail
