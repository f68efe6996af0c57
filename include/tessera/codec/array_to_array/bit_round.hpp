// bitround: numbers with few bits that are not zero (zarr-extensions, codecs/bitround); numcodecs' bitround of
// fractions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/codec/elementwise.hpp>
#include <tessera/codec/numbers.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// To the nearest of those with so many bits, of two to the even one: of a fraction bits behind the point, of an
/// integer from its first bit on.
struct RoundBits {
  static constexpr bool may_refuse = false;
  DataType type;  ///< of a component
  std::uint32_t keepbits;
  std::size_t from_size = type.size, to_size = from_size;

  template <std::size_t Most>
  TESSERA_HOST_DEVICE std::size_t run(std::byte const* from, std::byte* to, std::size_t n) const {
    with_bits_of(type.size, [&](auto one) {
      using Bits = decltype(one);
      auto const* const in = reinterpret_cast<Bits const*>(from);
      auto* const out = reinterpret_cast<Bits*>(to);
      bool const is_whole = type.kind != DataKind::floating;
      std::uint32_t const fraction = type.size == 2 ? 10 : type.size == 4 ? 23 : 52;
      for (std::size_t i = 0; i < n; ++i) {
        auto const bits = is_whole ? width(in[i]) : fraction;
        out[i] = bits > keepbits ? rounded(in[i], bits - keepbits, is_whole) : in[i];
      }
    });
    return n;
  }

 private:
  template <class Bits>
  TESSERA_HOST_DEVICE static std::uint32_t width(Bits bits) {
    std::uint32_t width = 0;
    for (std::uint64_t left = bits; left != 0; left >>= 1) ++width;
    return width;
  }
  // Without the last bits. A fraction's carry goes into its exponent, up to infinity; an integer stays at the largest.
  template <class Bits>
  TESSERA_HOST_DEVICE static Bits rounded(Bits number, std::uint32_t dropped, bool saturates) {
    constexpr auto all = static_cast<Bits>(~Bits{0});
    auto const half = static_cast<Bits>(static_cast<Bits>((Bits{1} << (dropped - 1)) - 1) +
                                        static_cast<Bits>(dropped < 8 * sizeof(Bits) ? number >> dropped & 1 : 0));
    auto const sum = saturates && number > static_cast<Bits>(all - half) ? all : static_cast<Bits>(number + half);
    return dropped < 8 * sizeof(Bits) ? static_cast<Bits>(sum >> dropped << dropped) : Bits{0};
  }
};

}  // namespace detail

namespace codec {

/// Configuration: `keepbits`, how many bits stay, of a fraction behind the point, of an integer from its first one on.
/// Of numbers and complex ones. Decoding gives what was stored.
struct BitRound : detail::Elementwise<BitRound> {
  static constexpr std::string_view name = "bitround";

  std::uint32_t keepbits = 0;

  static BitRound from(ObjectReader& configuration) {
    BitRound codec;
    codec.keepbits = configuration.at("keepbits").integer<std::uint32_t>(0, 64);
    return codec;
  }
  Value configuration() const { return Members{{"keepbits", Value::integer(keepbits)}}; }

  ChunkSpecification encoded(ChunkSpecification chunk) const {
    auto const type = component(chunk);
    if (!detail::holds_numbers(type))
      throw MetadataError{text({"found elements of ", chunk.type.name(), ", which it does not take"})};
    std::uint32_t const most = type.size == 2 ? 10 : type.size == 4 ? 23 : 52;
    if (type.kind == DataKind::floating && keepbits > most)
      throw MetadataError{text({"member configuration.keepbits: found ", keepbits, ", expected at most ", most,
                                ", as many as ", chunk.type.name(), " has"})};
    return chunk;
  }
  detail::CopyElements decoder(ChunkSpecification const& chunk) const { return {component(chunk).size}; }
  detail::RoundBits encoder(ChunkSpecification const& chunk) const { return {component(chunk), keepbits}; }

 private:
  static DataType component(ChunkSpecification const& chunk) {
    if (chunk.type.kind != DataKind::complex) return chunk.type;
    return {DataKind::floating, chunk.type.size / 2, chunk.type.format};
  }
};

}  // namespace codec
}}  // namespace tessera::v0
