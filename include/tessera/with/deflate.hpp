// codec::Gzip: members of RFC 1952 (specification: codecs/gzip). numcodecs' Zlib (RFC 1950), Crc32 and Adler32. Needs
// libdeflate (MIT): link tessera::deflate.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#if !__has_include(<libdeflate.h>)
#error "tessera/with/deflate.hpp needs libdeflate: on Debian or Ubuntu, apt install libdeflate-dev"
#endif
#include <libdeflate.h>

#include <tessera/codec/bytes_to_bytes/detail/checksum32.hpp>
#include <tessera/codec/concept.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct DeflateDecompressor {
  libdeflate_decompressor* handle = libdeflate_alloc_decompressor();
  DeflateDecompressor() {
    if (!handle) throw Error{"cannot allocate a libdeflate decompressor"};
  }
  DeflateDecompressor(DeflateDecompressor const&) = delete;
  DeflateDecompressor& operator=(DeflateDecompressor const&) = delete;
  ~DeflateDecompressor() { libdeflate_free_decompressor(handle); }
};
struct DeflateCompressor {
  libdeflate_compressor* handle = nullptr;
  int level = -1;
  DeflateCompressor() = default;
  DeflateCompressor(DeflateCompressor const&) = delete;
  DeflateCompressor& operator=(DeflateCompressor const&) = delete;
  ~DeflateCompressor() { libdeflate_free_compressor(handle); }
  // A compressor is made for one level.
  void set(int wanted) {
    if (level == wanted) return;
    libdeflate_free_compressor(std::exchange(handle, nullptr));
    handle = libdeflate_alloc_compressor(wanted);
    if (!handle) throw Error{"cannot allocate a libdeflate compressor"};
    level = wanted;
  }
};

/// Deflate expands two bits to at most 258 bytes.
inline std::size_t most_inflated(std::size_t size) {
  constexpr std::size_t most = 258 * 8 / 2;
  return size > unbounded / most ? unbounded : size * most;
}

inline std::uint32_t crc32_of(ByteView<space::Host> bytes) { return libdeflate_crc32(0, bytes.data, bytes.size); }
inline std::uint32_t adler32_of(ByteView<space::Host> bytes) { return libdeflate_adler32(1, bytes.data, bytes.size); }

}  // namespace detail

namespace codec {

/// Configuration: `level`, 0 to 9. Consecutive members decode to their joined contents; the CRC-32 and length of each
/// are checked. Zeros after a member are padding, as in gzip(1) and Python. Encoding writes no time, so equal chunks
/// give equal bytes.
struct Gzip {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "gzip";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  int level = 5;

  static Gzip from(ObjectReader& configuration) { return {configuration.at("level").integer<int>(0, 9)}; }
  Value configuration() const { return Members{{"level", Value::integer(level)}}; }

  std::size_t encoded_bound(std::size_t decoded) const { return libdeflate_gzip_compress_bound(nullptr, decoded); }

  std::size_t decoded_bound(ByteView<space::Host> from) const { return detail::most_inflated(from.size); }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    auto const context = on.lease<detail::DeflateDecompressor>();
    std::size_t read = 0, written = 0;
    do {
      std::size_t in = 0, out = 0;
      auto const result = libdeflate_gzip_decompress_ex(context->handle, from.data + read, from.size - read,
                                                        to.data + written, to.size - written, &in, &out);
      if (result != LIBDEFLATE_SUCCESS)
        throw CodecError{std::to_string(from.size) + " bytes do not decode to " + std::to_string(to.size) + ": " +
                         (result == LIBDEFLATE_INSUFFICIENT_SPACE
                              ? "more data than expected, or damaged bytes"
                              : "byte " + std::to_string(read) + " does not begin a complete, valid gzip member")};
      read += in;
      written += out;
      while (read < from.size && from.data[read] == std::byte{0}) ++read;
    } while (read < from.size);
    return written;
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    auto const context = on.lease<detail::DeflateCompressor>();
    context->set(level);
    auto const size = libdeflate_gzip_compress(context->handle, from.data, from.size, to.data, to.size);
    if (size == 0)
      throw CodecError{std::to_string(from.size) + " bytes do not fit into " + std::to_string(to.size) + " as gzip"};
    return size;
  }
};

/// Configuration: `level`, -1 to 9, by default 1; -1 is the library's default. One stream, whose Adler-32 is checked.
struct Zlib {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "numcodecs.zlib";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  int level = 1;

  static Zlib from(ObjectReader& configuration) {
    Zlib codec;
    if (auto const found = configuration.find("level")) codec.level = found->integer<int>(-1, 9);
    return codec;
  }
  Value configuration() const { return Members{{"level", Value::integer(level)}}; }

  std::size_t encoded_bound(std::size_t decoded) const { return libdeflate_zlib_compress_bound(nullptr, decoded); }
  std::size_t decoded_bound(ByteView<space::Host> from) const { return detail::most_inflated(from.size); }

  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    auto const context = on.lease<detail::DeflateDecompressor>();
    std::size_t read = 0, written = 0;
    auto const result =
        libdeflate_zlib_decompress_ex(context->handle, from.data, from.size, to.data, to.size, &read, &written);
    if (result != LIBDEFLATE_SUCCESS || read != from.size)
      throw CodecError{to_text({from.size, " bytes do not decode to ", to.size, ": not a complete, valid zlib stream, ",
                                "or more data than expected"})};
    return written;
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    constexpr int usual = 6;
    auto const context = on.lease<detail::DeflateCompressor>();
    context->set(level < 0 ? usual : level);
    auto const size = libdeflate_zlib_compress(context->handle, from.data, from.size, to.data, to.size);
    if (size == 0) throw CodecError{to_text({from.size, " bytes do not fit into ", to.size, " as zlib"})};
    return size;
  }
};

/// zlib's CRC-32 of the bytes at this place in the chain. Configuration: `location`, by default "start".
struct Crc32 : detail::Checksum32<Crc32, detail::ChecksumPlace::start> {
  static constexpr std::string_view name = "numcodecs.crc32";
  static constexpr bool checks_bytes = true;
  static Crc32 from(ObjectReader& configuration) { return {placed(configuration)}; }
  std::uint32_t checksum(ByteView<space::Host> bytes) const { return detail::crc32_of(bytes); }
};
/// zlib's Adler-32 of these bytes. Configuration: `location`, by default "start".
struct Adler32 : detail::Checksum32<Adler32, detail::ChecksumPlace::start> {
  static constexpr std::string_view name = "numcodecs.adler32";
  static Adler32 from(ObjectReader& configuration) { return {placed(configuration)}; }
  std::uint32_t checksum(ByteView<space::Host> bytes) const { return detail::adler32_of(bytes); }
};

}  // namespace codec
}}  // namespace tessera::v0
