// codec::OnDevice: codecs in device memory. Elementwise codecs run the host's functions, others their own kernels.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/codec/detail/configuration.hpp>
#include <tessera/codec/detail/each_place.cuh>
#include <tessera/codec/detail/elementwise.hpp>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

/// Applies the host's function for many elements to one.
template <class F>
struct OneElement {
  F f;
  TESSERA_HOST_DEVICE bool operator()(std::byte const* from, std::byte* to, std::uint64_t i) const {
    return f.template run<1>(from + i * f.from_size, to + i * f.to_size, 1) == 1;
  }
};

/// A codec's work on a mini-batch in device memory. A codec that is not elementwise specialises it in a header of its
/// own.
template <class C>
struct KernelsOf {
  static constexpr bool is_elementwise = std::derived_from<C, Elementwise<C>>;
  static_assert(is_elementwise,
                "tessera: codec::OnDevice has no kernels for this codec: use one that makes each element by itself, or "
                "codec::Delta, PackBits, PackedBooleans or Shuffle and include its .cuh header beside the .hpp");

  template <class DeviceQueue>
  static void decode(C const& codec, ChunkSpecification const& chunk, std::span<CodecTask<space::Device>> batch,
                     DeviceQueue& on) {
    if constexpr (is_elementwise) run(codec.decoder(chunk), batch, on);
  }
  template <class DeviceQueue>
  static void encode(C const& codec, ChunkSpecification const& chunk, std::span<CodecTask<space::Device>> batch,
                     DeviceQueue& on) {
    if constexpr (is_elementwise) run(codec.encoder(chunk), batch, on);
  }

 private:
  template <class F, class DeviceQueue>
  static void run(F const& f, std::span<CodecTask<space::Device>> batch, DeviceQueue& on) {
    auto const of = [&](CodecTask<space::Device>& task) {
      auto const elements = C::count(f, task.from.size, task.to.size);
      task.size = elements * f.to_size;
      return PlacesOfChunk<OneElement<F>>{{f}, elements};
    };
    launch_places(batch, on, of, F::may_refuse, [](auto const&, std::uint64_t i) { C::refuse_element(i); });
  }
};

}  // namespace detail

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
