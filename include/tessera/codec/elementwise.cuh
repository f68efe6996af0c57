// Codecs in device memory: those of single elements by the functions that the host calls, others by kernels of theirs.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/codec/configuration.hpp>
#include <tessera/codec/each_place.cuh>
#include <tessera/codec/elementwise.hpp>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

/// One element, by the function that the host calls for many.
template <class F>
struct OneElement {
  F f;
  TESSERA_HOST_DEVICE bool operator()(std::byte const* from, std::byte* to, std::uint64_t i) const {
    return f.template run<1>(from + i * f.from_size, to + i * f.to_size, 1) == 1;
  }
};

/// What a codec does to a mini-batch in device memory. Codecs that do not make each element by itself have their own,
/// in a header beside theirs.
template <class C>
struct KernelsOf {
  static constexpr bool is_elementwise = std::derived_from<C, Elementwise<C>>;
  static_assert(is_elementwise,
                "tessera: no kernels of this codec are there: codec::OnDevice takes those that make each element by "
                "itself, and codec::Delta, PackBits, PackedBooleans and Shuffle, whose headers end in .cuh beside the "
                ".hpp");

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
      return Places<OneElement<F>>{{f}, elements};
    };
    launch_places(batch, on, of, F::may_refuse, [](auto const&, std::uint64_t i) { C::refuse_element(i); });
  }
};

}  // namespace detail

namespace codec {

/// The codec C in device memory: `OnDevice<BitRound>`. A list may have it beside C, and a chunk takes the one that runs
/// where it is. One launch for up to 192 chunks. The host waits only where a chunk may be refused, once for each
/// launch: by cast_value and scale_offset for an element, by packbits for its byte of padding.
template <class C>
struct OnDevice : C {
  template <class S>
  static constexpr bool runs_in = std::same_as<S, space::Device>;

  OnDevice() = default;
  explicit OnDevice(C const& codec) : C(codec) {}
  static OnDevice from(ObjectReader& configuration) { return OnDevice{detail::configured<C>(configuration)}; }

  /// Throws: CodecError with the number of a chunk that is refused; DeviceError.
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
