// codec::Blosc: Blosc 1 buffers (specification: codecs/blosc). Needs c-blosc 1.x (BSD-3-Clause): link tessera::blosc.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#if !__has_include(<blosc.h>)
#error "tessera/with/blosc.hpp needs c-blosc: on Debian or Ubuntu, apt install libblosc-dev"
#endif
#include <blosc.h>

#include <tessera/codec/concept.hpp>
#include <tessera/with/detail/blosc/blosc_blocks.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `cname`, `clevel`, `shuffle`, `typesize` and `blocksize`. Decoding follows the buffer's header. Only
/// the calling thread works on blocks.
struct Blosc {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "blosc";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  std::string cname = "zstd";
  int clevel = 5;
  std::string shuffle = "shuffle";
  std::size_t typesize = 0;   ///< bytes shuffled together; 0: an element's, in a new array; otherwise 1
  std::size_t blocksize = 0;  ///< bytes; 0: automatic

  static Blosc from(ObjectReader& configuration) {
    Blosc codec;
    codec.cname = configuration.at("cname").one_of({"lz4", "lz4hc", "blosclz", "zstd", "snappy", "zlib"});
    codec.clevel = configuration.at("clevel").integer<int>(0, 9);
    codec.shuffle = configuration.at("shuffle").one_of({"noshuffle", "shuffle", "bitshuffle"});
    if (codec.shuffle != "noshuffle" || configuration.find("typesize"))
      codec.typesize = configuration.at("typesize").integer<std::size_t>(1, BLOSC_MAX_BUFFERSIZE);
    if (auto const found = configuration.find("blocksize"))
      codec.blocksize = found->integer<std::size_t>(0, BLOSC_MAX_BUFFERSIZE);
    return codec;
  }
  Value configuration() const {
    return Members{{"typesize", Value::integer(static_cast<long long>(shuffled_together()))},
                   {"cname", cname},
                   {"clevel", Value::integer(clevel)},
                   {"shuffle", shuffle},
                   {"blocksize", Value::integer(static_cast<long long>(blocksize))}};
  }

  Blosc fitted(ChunkSpecification const& chunk) const {
    auto result = *this;
    if (typesize == 0) result.typesize = chunk.type.varies() ? 1 : chunk.type.size;
    return result;
  }

  std::size_t encoded_bound(std::size_t decoded) const { return decoded + BLOSC_MAX_OVERHEAD; }

  std::size_t decoded_bound(ByteView<space::Host> from) const {
    std::size_t size = 0;
    from = without_tail(from);
    if (from.size < BLOSC_MIN_HEADER_LENGTH || blosc_cbuffer_validate(from.data, from.size, &size) < 0)
      return 0;  // decoding reports the problem, whatever the room
    return size;
  }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    auto const size = checked(from);
    if (size > to.size)
      throw CodecError{"the header says " + std::to_string(size) + " bytes, expected " + std::to_string(to.size)};
    if (size == 0) return 0;
    expect_compressor(from);
    return decompress(from, to.sub(0, size));
  }
  /// The header and the offsets of blocks of 4096 bytes or more; of smaller ones, whole chunks are read.
  std::size_t index_size(std::size_t decoded) const {
    return detail::BloscFrame::header + detail::BloscFrame::number * (decoded / 4096 + 1);
  }
  ChunkPart encoded_part(ByteView<space::Host> index, ChunkPart part) const {
    if (index.size < BLOSC_MIN_HEADER_LENGTH)
      throw CodecError{"the header does not fit the " + std::to_string(index.size) + " bytes stored"};
    auto const size = size_in_header(index);
    detail::BloscScratch scratch;
    detail::BloscBlocks const blocks{index, size, scratch};
    auto const& frame = blocks.frame();
    if (!blocks.are_sound() || frame.content != part.whole) return {0, size, size};
    if (frame.is_stored()) return {BLOSC_MIN_HEADER_LENGTH + part.first, part.size, size};
    auto all = blocks.range(part.first / frame.block);
    for (auto i = part.first / frame.block + 1; i <= (part.first + part.size - 1) / frame.block; ++i) {
      auto const [begin, end] = blocks.range(i);
      all = {std::min(all.begin, begin), std::max(all.end, end)};
    }
    return {static_cast<std::size_t>(all.begin), static_cast<std::size_t>(all.end - all.begin), size};
  }
  /// A block's bytes, encoded and decoded; all may be one block.
  std::size_t part_memory(std::size_t decoded) const { return 2 * decoded + BLOSC_MAX_OVERHEAD; }
  /// Decodes the blocks that the part is in.
  std::size_t decode_part(ByteView<space::Host> from, ByteSpan<space::Host> to, ChunkPart part,
                          Queue<space::Host>& on) const {
    if (auto const size = checked(from); size != part.whole)
      throw CodecError{"the header says " + std::to_string(size) + " bytes, expected " + std::to_string(part.whole)};
    if (part.size == part.whole) return decode(from, to, on);
    expect_compressor(from);
    auto const scratch = on.lease<detail::BloscScratch>();
    detail::BloscBlocks const blocks{from, from.size, *scratch};
    auto const& frame = blocks.frame();
    if (!blocks.are_sound()) {  // the library has the last word
      scratch->decoded.resize(part.whole);
      decompress(from, {scratch->decoded.data(), part.whole});
      std::memcpy(to.data, scratch->decoded.data() + part.first, part.size);
      return part.whole;
    }
    if (frame.is_stored()) {
      std::memcpy(to.data, from.data + BLOSC_MIN_HEADER_LENGTH + part.first, part.size);
      return part.size;
    }
    std::size_t decoded = 0;
    for (std::size_t done = 0; done < part.size;) {
      auto const i = (part.first + done) / frame.block, within = (part.first + done) % frame.block;
      auto const size = static_cast<std::size_t>(frame.size_of(i)), n = std::min(size - within, part.size - done);
      if (n == size) {
        decompress(blocks.alone(i), to.sub(done, n));
      } else {
        scratch->decoded.resize(size);
        decompress(blocks.alone(i), {scratch->decoded.data(), size});
        std::memcpy(to.data + done, scratch->decoded.data() + within, n);
      }
      done += n;
      decoded += size;
    }
    return decoded;
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    if (from.size > BLOSC_MAX_BUFFERSIZE)
      throw CodecError{std::to_string(from.size) + " bytes are more than a blosc buffer can hold"};
    expect_compressor(cname.c_str());
    int const filter = shuffle == "shuffle"      ? BLOSC_SHUFFLE
                       : shuffle == "bitshuffle" ? BLOSC_BITSHUFFLE
                                                 : BLOSC_NOSHUFFLE;
    auto const done = blosc_compress_ctx(clevel, filter, shuffled_together(), from.size, from.data, to.data, to.size,
                                         cname.c_str(), blocksize, 1);
    if (done <= 0) throw CodecError{"cannot compress " + std::to_string(from.size) + " bytes with " + cname};
    return static_cast<std::size_t>(done);
  }

 private:
  std::size_t shuffled_together() const { return typesize == 0 ? 1 : typesize; }

  // The decoded size that the header states, which fits the bytes. Leaves out bytes after the buffer.
  static std::size_t checked(ByteView<space::Host>& from) {
    std::size_t size = 0;
    expect_version(from);
    from = without_tail(from);
    if (from.size < BLOSC_MIN_HEADER_LENGTH || blosc_cbuffer_validate(from.data, from.size, &size) < 0)
      throw CodecError{"the header does not fit the " + std::to_string(from.size) + " bytes stored"};
    return size;
  }
  // Requires: `to` has the size that the header states.
  static std::size_t decompress(ByteView<space::Host> from, ByteSpan<space::Host> to) {
    auto const done = blosc_decompress_ctx(from.data, to.data, to.size, 1);
    if (done < 0 || static_cast<std::size_t>(done) != to.size)
      throw CodecError{to_text({from.size, " bytes do not decode to ", to.size, " bytes"})};
    return to.size;
  }

  // The buffer, by the size in its header: z5 leaves bytes after it.
  static ByteView<space::Host> without_tail(ByteView<space::Host> from) {
    return from.size < BLOSC_MIN_HEADER_LENGTH ? from : from.sub(0, std::min(size_in_header(from), from.size));
  }
  static std::size_t size_in_header(ByteView<space::Host> from) {
    constexpr std::size_t at = 12;
    return static_cast<std::size_t>(detail::frame_integer(from.data + at, 4));
  }
  static void expect_version(ByteView<space::Host> from) {
    constexpr unsigned last_of_blosc2 = 5;
    auto const version = from.size == 0 ? 0 : std::to_integer<unsigned>(from.data[0]);
    if (version > BLOSC_VERSION_FORMAT && version <= last_of_blosc2)
      throw CodecError{
          to_text({"found a chunk of blosc2 (version ", version, " of the format), expected one of blosc 1"})};
  }
  // The library would print a missing compressor on the terminal.
  static void expect_compressor(ByteView<space::Host> from) {
    constexpr char const* formats[] = {"blosclz", "lz4", "snappy", "zlib", "zstd"};
    auto const flags = std::to_integer<unsigned>(from.data[2]);
    if (flags & 2) return;  // stored uncompressed
    expect_compressor(flags >> 5 < std::size(formats) ? formats[flags >> 5] : "of an unknown format");
  }
  static void expect_compressor(char const* compressor) {
    if (blosc_compname_to_compcode(compressor) < 0)
      throw CodecError{to_text({"the installed libblosc was built without the compressor ", compressor})};
  }
};

}  // namespace codec
}}  // namespace tessera::v0
