// numcodecs' packbits: eight booleans in a byte, the first in its highest bit; a byte before them says how many bits of
// the last one are none.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/codec/concept.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// A chunk of so many booleans, packed: what the host and kernels call.
struct BooleanBits {
  std::uint64_t count;

  TESSERA_HOST_DEVICE std::uint64_t size() const { return 1 + count / 8 + (count % 8 != 0); }  ///< bytes
  /// In the first byte.
  TESSERA_HOST_DEVICE std::byte unused() const { return static_cast<std::byte>((8 - count % 8) % 8); }
  TESSERA_HOST_DEVICE std::byte boolean_at(std::byte const* packed, std::uint64_t i) const {
    return static_cast<std::byte>(static_cast<unsigned>(packed[1 + i / 8]) >> (7 - i % 8) & 1);
  }
  /// A byte of what is stored of booleans.
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

/// No configuration. Of booleans it makes bytes in one dimension. The registered `packbits` has another order of bits,
/// and is another codec.
struct PackedBooleans {
  using kind = array_to_array;
  static constexpr std::string_view name = "numcodecs.packbits";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  DataType encoded_type(DataType) const { return {DataKind::unsigned_integer, 1}; }
  ChunkSpecification encoded(ChunkSpecification chunk) const {
    if (chunk.type.kind != DataKind::boolean)
      throw MetadataError{text({"found elements of ", chunk.type.name(), ", expected bool"})};
    auto const bits = bits_of(chunk);
    chunk.shape = Extents{};
    chunk.shape.push_back(bits.size());
    chunk.type = {DataKind::unsigned_integer, 1};
    chunk.fill.assign(1, std::byte{});
    return chunk;
  }

  std::size_t decode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>&) const {
    auto const bits = bits_of(chunk);
    expect_sizes(bits, from.size, to.size);
    if (from.data[0] != bits.unused())
      throw CodecError{text({"the first byte says ", std::to_integer<int>(from.data[0]),
                             " bits of padding, expected ", std::to_integer<int>(bits.unused())})};
    for (std::size_t i = 0; i < bits.count; ++i) to.data[i] = bits.boolean_at(from.data, i);
    return bits.count;
  }
  std::size_t encode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>&) const {
    auto const bits = bits_of(chunk);
    expect_sizes(bits, to.size, from.size);
    for (std::size_t i = 0; i < bits.size(); ++i) to.data[i] = bits.byte_at(from.data, i);
    return bits.size();
  }

  detail::BooleanBits bits_of(ChunkSpecification const& chunk) const { return {chunk.size_in_bytes()}; }
  /// Throws: CodecError, if there are not as many bytes.
  static void expect_sizes(detail::BooleanBits const& bits, std::size_t packed, std::size_t unpacked) {
    if (packed < bits.size() || unpacked < bits.count)
      throw CodecError{text({"found ", packed, " bytes of packed booleans, expected ", bits.size()})};
  }
};

}  // namespace codec
}}  // namespace tessera::v0
