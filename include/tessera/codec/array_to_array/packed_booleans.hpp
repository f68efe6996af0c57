// numcodecs' packbits: eight booleans in a byte, the first in its highest bit; a byte before them says how many bits of
// the last one are none.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tessera/codec/concept.hpp>

namespace tessera { inline namespace v0 {
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
    auto const count = chunk.size_in_bytes();
    chunk.shape = Extents{};
    chunk.shape.push_back(1 + count / 8 + (count % 8 != 0));
    chunk.type = {DataKind::unsigned_integer, 1};
    chunk.fill.assign(1, std::byte{});
    return chunk;
  }

  std::size_t decode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>&) const {
    auto const count = expect_sizes(chunk, from.size, to.size);
    if (auto const found = std::to_integer<unsigned>(from.data[0]); found != padding(count))
      throw CodecError{text({"the first byte says ", found, " bits of padding, expected ", padding(count)})};
    for (std::size_t i = 0; i < count; ++i) to.data[i] = from.data[1 + i / 8] >> (7 - i % 8) & std::byte{1};
    return count;
  }
  std::size_t encode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>&) const {
    auto const count = expect_sizes(chunk, to.size, from.size), size = 1 + (count + 7) / 8;
    to.data[0] = static_cast<std::byte>(padding(count));
    for (std::size_t byte = 1; byte < size; ++byte) {
      unsigned bits = 0;
      for (std::size_t i = 8 * (byte - 1), end = i + 8; i < end; ++i)
        bits = bits << 1 | (i < count && from.data[i] != std::byte{});
      to.data[byte] = static_cast<std::byte>(bits);
    }
    return size;
  }

 private:
  static unsigned padding(std::size_t count) { return static_cast<unsigned>((8 - count % 8) % 8); }
  static std::size_t expect_sizes(ChunkSpecification const& chunk, std::size_t packed, std::size_t unpacked) {
    auto const count = chunk.size_in_bytes(), size = 1 + (count + 7) / 8;
    if (packed < size || unpacked < count)
      throw CodecError{text({"found ", packed, " bytes of packed booleans, expected ", size})};
    return count;
  }
};

}  // namespace codec
}}  // namespace tessera::v0
