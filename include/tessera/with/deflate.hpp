// gzip: members of RFC 1952 (specification: codecs/gzip). Needs libdeflate (MIT): link tessera::deflate.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#if !__has_include(<libdeflate.h>)
#error "tessera/with/deflate.hpp needs libdeflate: on Debian or Ubuntu, apt install libdeflate-dev"
#endif
#include <libdeflate.h>

#include <tessera/codec/concept.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `level`, 0 to 9. Several members, one after the other, decode to their contents joined; the CRC-32
/// and length of each are checked. Zeros behind a member are padding, as for gzip(1) and Python. Encoding writes no
/// time, so equal chunks give equal bytes.
struct Gzip {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "gzip";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  int level = 5;

  static Gzip from(ObjectReader& configuration) { return {configuration.at("level").integer<int>(0, 9)}; }
  Value configuration() const { return Members{{"level", Value::integer(level)}}; }

  std::size_t encoded_bound(std::size_t decoded) const { return libdeflate_gzip_compress_bound(nullptr, decoded); }

  /// Deflate makes at most 258 bytes of two bits.
  std::size_t decoded_bound(ByteView<space::Host> from) const {
    constexpr std::size_t most = 258 * 8 / 2;
    return from.size > unbounded / most ? unbounded : from.size * most;
  }
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    auto const context = on.lease<Decompressor>();
    std::size_t read = 0, written = 0;
    do {
      std::size_t in = 0, out = 0;
      auto const result = libdeflate_gzip_decompress_ex(context->handle, from.data + read, from.size - read,
                                                        to.data + written, to.size - written, &in, &out);
      if (result != LIBDEFLATE_SUCCESS)
        throw CodecError{std::to_string(from.size) + " bytes do not decode to " + std::to_string(to.size) + ": " +
                         (result == LIBDEFLATE_INSUFFICIENT_SPACE
                              ? "there is more in them, or they are damaged"
                              : "byte " + std::to_string(read) + " begins no whole and valid member")};
      read += in;
      written += out;
      while (read < from.size && from.data[read] == std::byte{0}) ++read;
    } while (read < from.size);
    return written;
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>& on) const {
    auto const context = on.lease<Compressor>();
    context->set(level);
    auto const size = libdeflate_gzip_compress(context->handle, from.data, from.size, to.data, to.size);
    if (size == 0)
      throw CodecError{std::to_string(from.size) + " bytes do not fit into " + std::to_string(to.size) + " as gzip"};
    return size;
  }

 private:
  struct Decompressor {
    libdeflate_decompressor* handle = libdeflate_alloc_decompressor();
    Decompressor() {
      if (!handle) throw Error{"cannot allocate a libdeflate decompressor"};
    }
    Decompressor(Decompressor const&) = delete;
    Decompressor& operator=(Decompressor const&) = delete;
    ~Decompressor() { libdeflate_free_decompressor(handle); }
  };
  struct Compressor {
    libdeflate_compressor* handle = nullptr;
    int level = -1;
    Compressor() = default;
    Compressor(Compressor const&) = delete;
    Compressor& operator=(Compressor const&) = delete;
    ~Compressor() { libdeflate_free_compressor(handle); }
    // A compressor is made for one level.
    void set(int wanted) {
      if (level == wanted) return;
      libdeflate_free_compressor(std::exchange(handle, nullptr));
      handle = libdeflate_alloc_compressor(wanted);
      if (!handle) throw Error{"cannot allocate a libdeflate compressor"};
      level = wanted;
    }
  };
};

}  // namespace codec
}}  // namespace tessera::v0
