// KernelsOf: what a codec does in device memory. Elementwise codecs run the host's functions, others their own kernels.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/each_place.cuh>
#include <tessera/codec/detail/elementwise.hpp>
#include <tessera/core/config.hpp>

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

/// A codec's work on a mini-batch in device memory. Codecs that are not elementwise specialise it in headers of their
/// own, which on_device.cuh includes.
template <class C>
struct KernelsOf {
  static constexpr bool is_elementwise = std::derived_from<C, Elementwise<C>>;
  static_assert(is_elementwise,
                "tessera: codec::OnDevice has no kernels for this codec: use one that makes each element by itself, or "
                "codec::Delta, PackBits, PackedBooleans or Shuffle");

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
}}  // namespace tessera::v0
