// PackBits: elements of few bits, packed from the lowest bit of each byte on (zarr-extensions, codecs/packbits).
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/packed_bits.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `first_bit` and `last_bit` of each component that are stored, by default all; and `padding_encoding`:
/// whether a byte before or after the others states the unused bits of the last one. For booleans, which have one bit,
/// real and complex numbers; numbers of two, four and six bits have only these.
struct PackBits {
  using kind = array_to_bytes;
  static constexpr std::string_view name = "packbits";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  /// Whether a chunk has a byte with the number of unused bits, and where: none, first_byte, last_byte.
  enum class Padding : std::uint8_t { none, first_byte, last_byte };
  Padding padding = Padding::none;  ///< of chunks that it encodes
  std::optional<std::uint32_t> first_bit{}, last_bit{};

  static PackBits from(ObjectReader& configuration);
  Value configuration() const;
  Layout layout(ChunkSpecification const& chunk) const;
  std::size_t encoded_bound(ChunkSpecification const& chunk) const {
    return packed(bits_of(chunk)) + (padding != Padding::none);
  }

  std::size_t encode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>&) const;

  std::size_t decode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>&) const;

  /// Only without padding, because some writers omit the padding byte, which changes the chunk's size.
  bool decodes_parts() const { return padding == Padding::none; }
  std::size_t decode_part(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                          ChunkPart part, Queue<space::Host>&) const;
  ByteRange encoded_range(ChunkSpecification const& chunk, ByteRange part) const {
    auto const bits = bits_of(chunk);
    auto const begin = part.offset / bits.size * bits.width, end = begin + part.size / bits.size * bits.width;
    return {begin / 8, (end + 7) / 8 - begin / 8};
  }

  /// Throws: MetadataError, if the codec does not accept the elements, or they do not have these bits.
  detail::PackedBits bits_of(ChunkSpecification const& chunk) const;
  /// expect_elements and expect_unused throw CodecError, if the size or the padding byte differs.
  static void expect_elements(detail::PackedBits const& bits, std::size_t size);
  static void expect_unused(detail::PackedBits const& bits, std::byte found);
  /// The padding of an encoded chunk of `from` bytes: zarrs writes none where elements are whole bytes. Throws:
  /// CodecError, if the chunk has another size, or `to` bytes cannot hold its elements.
  Padding padding_in(detail::PackedBits const& bits, std::size_t from, std::size_t to) const;
  /// The size in bytes of an encoded chunk without its padding byte.
  static std::size_t packed(detail::PackedBits const& bits);

 private:
  /// 0: the codec does not accept the type.
  static std::uint32_t component_bits(DataType type);
};

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_bytes/detail/pack_bits.ipp>
#endif
