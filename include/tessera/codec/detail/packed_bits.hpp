// PackedBits: numbers of few bits, packed from the lowest bit of each byte on; used by packbits on the host and in
// kernels.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A chunk's components, and the bits of each that are stored.
struct PackedBits {
  std::uint64_t count;
  std::uint32_t size;  ///< bytes of a component
  std::uint32_t first, width;
  bool is_signed;

  TESSERA_HOST_DEVICE std::uint64_t mask() const { return ~std::uint64_t{0} >> (64 - width); }

  /// Component i of those stored at `in`.
  TESSERA_HOST_DEVICE std::uint64_t component_at(std::byte const* in, std::uint64_t i) const {
    return component_from(in, i * width);
  }
  /// The component whose first bit is bit `at` of the bytes.
  TESSERA_HOST_DEVICE std::uint64_t component_from(std::byte const* in, std::uint64_t at) const {
    std::uint64_t value = 0;
    for (std::uint32_t read = 0; read < width;) {
      auto const n = smaller(width - read, 8 - static_cast<std::uint32_t>(at % 8));
      value |= (static_cast<std::uint64_t>(in[at / 8]) >> at % 8 & ((1u << n) - 1)) << read;
      read += n, at += n;
    }
    bool const is_extended = is_signed && value >> (width - 1) != 0;
    return (is_extended ? value | ~mask() : value) << first;
  }

  /// Byte i of the stored components. Bits is unsigned, and as large as a component.
  template <class Bits>
  TESSERA_HOST_DEVICE std::byte byte_at(Bits const* components, std::uint64_t i) const {
    auto const begin = 8 * i;
    std::uint64_t byte = 0;
    for (auto c = begin / width; c < count && c * width < begin + 8; ++c) {
      auto const at = c * width, value = std::uint64_t{components[c]} >> first & mask();
      byte |= at < begin ? value >> (begin - at) : value << (at - begin);
    }
    return static_cast<std::byte>(byte & 0xff);
  }

  /// Unused bits of the last byte; the padding byte, first or last of the chunk, states them.
  TESSERA_HOST_DEVICE std::byte unused() const { return static_cast<std::byte>((8 - count * width % 8) % 8); }

 private:
  TESSERA_HOST_DEVICE static std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }
};

}}}  // namespace tessera::v0::detail
