// packbits in device memory: a thread for each decoded component and each encoded byte.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/codec/array_to_bytes/pack_bits.hpp>
#include <tessera/codec/detail/kernels_of.cuh>
#include <tessera/codec/detail/numbers.hpp>

namespace tessera { inline namespace v0 { namespace detail {

struct UnpackedComponent {
  PackedBits bits;
  std::uint64_t begin;    ///< of the components' bits
  std::uint64_t padding;  ///< index of the byte with the number of unused bits; none: no such byte
  static constexpr auto none = ~std::uint64_t{0};

  TESSERA_HOST_DEVICE bool operator()(std::byte const* from, std::byte* to, std::uint64_t i) const {
    with_bits_of(bits.size, [&](auto one) {
      using Bits = decltype(one);
      reinterpret_cast<Bits*>(to)[i] = static_cast<Bits>(bits.component_at(from + begin, i));
    });
    return i > 0 || padding == none || from[padding] == bits.unused();
  }
};

struct PackedByte {
  PackedBits bits;
  std::uint64_t begin, size;  ///< of the components' bits

  TESSERA_HOST_DEVICE bool operator()(std::byte const* from, std::byte* to, std::uint64_t i) const {
    if (i < begin || i >= begin + size)
      to[i] = bits.unused();
    else
      with_bits_of(bits.size,
                   [&](auto one) { to[i] = bits.byte_at(reinterpret_cast<decltype(one) const*>(from), i - begin); });
    return true;
  }
};

template <>
struct KernelsOf<codec::PackBits> {
  using Padding = codec::PackBits::Padding;

  template <class DeviceQueue>
  static void decode(codec::PackBits const& codec, ChunkSpecification const& chunk,
                     std::span<CodecTask<space::Device>> batch, DeviceQueue& on) {
    auto const bits = codec.bits_of(chunk);
    auto const of = [&](CodecTask<space::Device>& task) {
      auto const kept = codec.padding_in(bits, task.from.size, task.to.size);
      task.size = bits.count * bits.size;
      auto const at = kept == Padding::none         ? UnpackedComponent::none
                      : kept == Padding::first_byte ? 0
                                                    : task.from.size - 1;
      return PlacesOfChunk<UnpackedComponent>{{bits, kept == Padding::first_byte, at}, bits.count};
    };
    launch_places(batch, on, of, codec.padding != Padding::none, [&](auto const&, std::uint64_t) {
      throw CodecError{
          to_text({"found a wrong number of bits of padding, expected ", std::to_integer<int>(bits.unused())})};
    });
  }

  template <class DeviceQueue>
  static void encode(codec::PackBits const& codec, ChunkSpecification const& chunk,
                     std::span<CodecTask<space::Device>> batch, DeviceQueue& on) {
    auto const bits = codec.bits_of(chunk);
    auto const size = codec.packed(bits);
    launch_places(batch, on, [&](CodecTask<space::Device>& task) {
      codec.expect_elements(bits, task.from.size);
      task.size = size + (codec.padding != Padding::none);
      return PlacesOfChunk<PackedByte>{{bits, codec.padding == Padding::first_byte, size}, task.size};
    });
  }
};

}}}  // namespace tessera::v0::detail
