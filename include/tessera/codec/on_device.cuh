// codec::OnDevice: codecs in device memory. Elementwise codecs run the host's functions; Delta, PackBits,
// PackedBooleans and Shuffle have kernels of their own.
#pragma once
#include <concepts>
#include <span>

#include <tessera/codec/array_to_array/detail/delta_kernels.cuh>
#include <tessera/codec/array_to_array/detail/packed_booleans_kernels.cuh>
#include <tessera/codec/array_to_bytes/detail/pack_bits_kernels.cuh>
#include <tessera/codec/bytes_to_bytes/detail/shuffle_kernels.cuh>
#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/configuration.hpp>
#include <tessera/codec/detail/kernels_of.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 {
namespace codec {

/// The codec C in device memory: `OnDevice<BitRound>`. A list may have it next to C; a chunk uses the one that runs in
/// its space. One launch for up to 192 chunks. The host waits only if a chunk may be refused, once for each launch: by
/// cast_value and scale_offset for an element, by packbits for its padding byte.
template <class C>
struct OnDevice : C {
  template <class S>
  static constexpr bool runs_in = std::same_as<S, space::Device>;

  OnDevice() = default;
  explicit OnDevice(C const& codec) : C(codec) {}
  static OnDevice from(ObjectReader& configuration) { return OnDevice{detail::configured<C>(configuration)}; }

  /// Throws: CodecError with the number of a refused chunk; DeviceError.
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void decode(ChunkSpecification const& chunk, std::span<CodecTask<space::Device>> batch, DeviceQueue& on) const {
    detail::KernelsOf<C>::decode(*this, chunk, batch, on);
  }
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void encode(ChunkSpecification const& chunk, std::span<CodecTask<space::Device>> batch, DeviceQueue& on) const {
    detail::KernelsOf<C>::encode(*this, chunk, batch, on);
  }
};

}  // namespace codec
}}  // namespace tessera::v0
