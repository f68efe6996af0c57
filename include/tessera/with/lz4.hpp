// codec::Lz4: numcodecs' lz4, the decoded size in four bytes, little-endian, then one LZ4 block. Needs liblz4
// (BSD-2-Clause): link tessera::lz4.
#pragma once
#include <climits>
#include <cstddef>
#include <string_view>

#if !__has_include(<lz4.h>)
#error "tessera/with/lz4.hpp needs liblz4: on Debian or Ubuntu, apt install liblz4-dev"
#endif
#include <lz4.h>

#include <tessera/codec/concept.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: the encoder's `acceleration`, from 1 on, by default 1.
struct Lz4 {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "numcodecs.lz4";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;
  static constexpr std::size_t header = 4;  ///< bytes

  int acceleration = 1;

  static Lz4 from(ObjectReader& configuration) {
    Lz4 codec;
    if (auto const found = configuration.find("acceleration")) codec.acceleration = found->integer<int>();
    return codec;
  }
  Value configuration() const { return Members{{"acceleration", Value::integer(acceleration)}}; }

  std::size_t encoded_bound(std::size_t decoded) const { return header + decoded + decoded / 255 + 16; }

  std::size_t decoded_bound(ByteView<space::Host> from) const { return from.size < header ? 0 : promised(from); }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    expect_header(from);
    auto const size = promised(from);
    if (size > to.size) throw CodecError{to_text({"the header says ", size, " bytes, expected ", to.size})};
    return decompress(from, to.sub(0, size), LZ4_decompress_safe);
  }
  static constexpr bool decodes_in_order = true;
  std::size_t decode_part(ByteView<space::Host> from, ByteSpan<space::Host> to, ChunkPart part,
                          Queue<space::Host>& on) const {
    if (part.size == part.whole) return decode(from, to, on);
    expect_header(from);
    auto const size = promised(from);
    if (size != part.whole) throw CodecError{to_text({"the header says ", size, " bytes, expected ", part.whole})};
    return decompress(from, to, [](char const* block, char* decoded, int stored, int wanted) {
      return LZ4_decompress_safe_partial(block, decoded, stored, wanted, wanted);
    });
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    if (from.size > LZ4_MAX_INPUT_SIZE)
      throw CodecError{to_text({from.size, " bytes are more than an LZ4 block can hold"})};
    for (std::size_t i = 0; i < header; ++i) to.data[i] = static_cast<std::byte>(from.size >> (8 * i));
    auto const room = to.size - header > INT_MAX ? INT_MAX : static_cast<int>(to.size - header);
    auto const done =
        LZ4_compress_fast(reinterpret_cast<char const*>(from.data), reinterpret_cast<char*>(to.data + header),
                          static_cast<int>(from.size), room, acceleration);
    if (done <= 0) throw CodecError{to_text({"cannot compress ", from.size, " bytes"})};
    return header + static_cast<std::size_t>(done);
  }

 private:
  static void expect_header(ByteView<space::Host> from) {
    if (from.size < header) throw CodecError{to_text({"found ", from.size, " bytes, expected at least a size of 4"})};
  }
  // `f` is one of the library's functions, which use int for sizes.
  template <class F>
  static std::size_t decompress(ByteView<space::Host> from, ByteSpan<space::Host> to, F f) {
    auto const block = from.sub(header, from.size - header);
    auto const done = block.size > INT_MAX || to.size > INT_MAX
                          ? -1
                          : f(reinterpret_cast<char const*>(block.data), reinterpret_cast<char*>(to.data),
                              static_cast<int>(block.size), static_cast<int>(to.size));
    if (done < 0 || static_cast<std::size_t>(done) != to.size)
      throw CodecError{to_text({from.size, " bytes do not decode to ", to.size, " bytes"})};
    return to.size;
  }
  static std::size_t promised(ByteView<space::Host> from) {
    std::size_t size = 0;
    for (auto i = header; i-- > 0;) size = size << 8 | std::to_integer<std::size_t>(from.data[i]);
    return size;
  }
};

}  // namespace codec
}}  // namespace tessera::v0
