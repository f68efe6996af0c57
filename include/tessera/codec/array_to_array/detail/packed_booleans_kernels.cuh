// numcodecs' packbits in device memory: a thread for each decoded boolean and each encoded byte.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/codec/array_to_array/packed_booleans.hpp>
#include <tessera/codec/detail/kernels_of.cuh>

namespace tessera { inline namespace v0 { namespace detail {

struct UnpackedBoolean {
  BooleanBits bits;

  TESSERA_HOST_DEVICE bool operator()(std::byte const* from, std::byte* to, std::uint64_t i) const {
    to[i] = bits.boolean_at(from, i);
    return i > 0 || from[0] == bits.unused();
  }
};

struct PackedBooleanByte {
  BooleanBits bits;

  TESSERA_HOST_DEVICE bool operator()(std::byte const* from, std::byte* to, std::uint64_t i) const {
    to[i] = bits.byte_at(from, i);
    return true;
  }
};

template <>
struct KernelsOf<codec::PackedBooleans> {
  template <class DeviceQueue>
  static void decode(codec::PackedBooleans const& codec, ChunkSpecification const& chunk,
                     std::span<CodecTask<space::Device>> batch, DeviceQueue& on) {
    auto const bits = codec.bits_of(chunk);
    auto const of = [&](CodecTask<space::Device>& task) {
      codec.expect_sizes(bits, task.from.size, task.to.size);
      task.size = bits.count;
      return PlacesOfChunk<UnpackedBoolean>{{bits}, bits.count};
    };
    launch_places(batch, on, of, true, [&](auto const&, std::uint64_t) {
      throw CodecError{to_text({"the first byte declares a wrong number of bits of padding, expected ",
                                std::to_integer<int>(bits.unused())})};
    });
  }

  template <class DeviceQueue>
  static void encode(codec::PackedBooleans const& codec, ChunkSpecification const& chunk,
                     std::span<CodecTask<space::Device>> batch, DeviceQueue& on) {
    auto const bits = codec.bits_of(chunk);
    launch_places(batch, on, [&](CodecTask<space::Device>& task) {
      codec.expect_sizes(bits, task.to.size, task.from.size);
      task.size = bits.size();
      return PlacesOfChunk<PackedBooleanByte>{{bits}, task.size};
    });
  }
};

}}}  // namespace tessera::v0::detail
