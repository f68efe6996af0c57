// PackedBooleans: numcodecs' packbits: a byte that states the unused bits of the last one, then eight booleans in each
// byte, the first in its highest bit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/codec/concept.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// A packed chunk of `count` booleans, for the host and kernels.
struct BooleanBits {
  std::uint64_t count;

  TESSERA_HOST_DEVICE std::uint64_t size() const { return 1 + count / 8 + (count % 8 != 0); }  ///< bytes
  /// Unused bits of the last byte, which the first byte states.
  TESSERA_HOST_DEVICE std::byte unused() const { return static_cast<std::byte>((8 - count % 8) % 8); }
  TESSERA_HOST_DEVICE std::byte boolean_at(std::byte const* packed, std::uint64_t i) const {
    return boolean_in(packed + 1, i);
  }
  /// Boolean i of the bytes after the first one, or of some of these.
  TESSERA_HOST_DEVICE static std::byte boolean_in(std::byte const* bits, std::uint64_t i) {
    return static_cast<std::byte>(static_cast<unsigned>(bits[i / 8]) >> (7 - i % 8) & 1);
  }
  /// Byte i of the packed chunk.
  TESSERA_HOST_DEVICE std::byte byte_at(std::byte const* booleans, std::uint64_t i) const {
    if (i == 0) return unused();
    unsigned bits = 0;
    for (auto b = 8 * (i - 1), end = b + 8; b < end; ++b)
      bits = bits << 1 | (b < count && static_cast<unsigned>(booleans[b]) != 0);
    return static_cast<std::byte>(bits);
  }
};

}  // namespace detail

namespace codec {

/// No configuration. Encodes booleans to bytes in one dimension. The registered `packbits` has another bit order, and
/// is another codec.
struct PackedBooleans {
  using kind = array_to_array;
  static constexpr std::string_view name = "numcodecs.packbits";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  ChunkSpecification encoded(ChunkSpecification chunk) const;

  std::size_t decode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>&) const;
  /// Reads only the bytes with the bits of the part: the first byte of the chunk is not checked.
  std::size_t decode_part(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                          ChunkPart part, Queue<space::Host>&) const;
  ByteRange encoded_range(ByteRange part) const {
    return {1 + part.offset / 8, (part.offset + part.size + 7) / 8 - part.offset / 8};
  }
  std::size_t encode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>&) const;
  detail::BooleanBits bits_of(ChunkSpecification const& chunk) const;
  /// Throws: CodecError, if there are fewer bytes.
  static void expect_sizes(detail::BooleanBits const& bits, std::size_t packed, std::size_t unpacked);
};

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_array/detail/packed_booleans.ipp>
#endif
