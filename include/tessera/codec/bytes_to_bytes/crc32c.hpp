// Crc32c: bytes followed by their CRC-32C, little-endian (specification: codecs/crc32c; RFC 3720 B.4).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/codec/bytes_to_bytes/detail/crc32c_register.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
/// The CRC-32C of `bytes`; `before`: that of the bytes before them. Uses the processor's instruction, if it has one.
inline std::uint32_t crc32c(ByteView<space::Host> bytes, std::uint32_t before = 0) {
  return ~detail::crc32c_register(~before, bytes.data, bytes.size);
}

namespace codec {

/// No configuration. The checksum covers the bytes at this place in the chain.
struct Crc32c {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "crc32c";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;
  static constexpr std::size_t checksum_size = 4;  ///< bytes
  static constexpr bool has_fixed_size = true;
  static constexpr bool checks_bytes = true;

  static Crc32c from(ObjectReader&) { return {}; }
  Value configuration() const { return Members{}; }

  /// The checksum stored at `from`.
  static std::uint32_t stored(std::byte const* from);

  /// Throws: CodecError, if `encoded` bytes have no checksum, or more than `room` bytes precede it.
  static std::size_t decoded_size(std::size_t encoded, std::size_t room);
  /// Throws: CodecError, if the bytes' checksum differs from the stored one.
  static void expect(std::uint32_t found, std::uint32_t expected);

  std::size_t encoded_bound(std::size_t decoded) const { return decoded + checksum_size; }

  std::size_t decoded_bound(ByteView<space::Host> from) const { return from.size; }

  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const;
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const;

 private:
  // Tile by tile: the copy finds in the cache the bytes that the checksum has read.
  static std::uint32_t copy(ByteView<space::Host> from, ByteSpan<space::Host> to);
};

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/bytes_to_bytes/detail/crc32c.ipp>
#endif
