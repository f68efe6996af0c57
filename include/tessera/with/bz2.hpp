// codec::Bz2: numcodecs' bz2, streams of bzip2. Needs libbz2 (bzip2's licence): link tessera::bz2.
#pragma once
#include <algorithm>
#include <climits>
#include <cstddef>
#include <string_view>

#if !__has_include(<bzlib.h>)
#error "tessera/with/bz2.hpp needs libbz2: on Debian or Ubuntu, apt install libbz2-dev"
#endif
#include <bzlib.h>

#include <tessera/codec/concept.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `level`, 1 to 9, by default 1. Consecutive streams decode to their joined contents; the checksums of
/// each are checked.
struct Bz2 {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "numcodecs.bz2";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  int level = 1;

  static Bz2 from(ObjectReader& configuration) {
    Bz2 codec;
    if (auto const found = configuration.find("level")) codec.level = found->integer<int>(1, 9);
    return codec;
  }
  Value configuration() const { return Members{{"level", Value::integer(level)}}; }

  std::size_t encoded_bound(std::size_t decoded) const { return decoded + decoded / 100 + 600 + 1; }

  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    std::size_t written = 0, read = 0;
    do {
      Stream stream{BZ2_bzDecompressEnd};
      expect_ok(BZ2_bzDecompressInit(&stream.is, 0, 0), from, to);
      int status = BZ_OK;
      while (status == BZ_OK) {
        stream.give(from, read, to, written);
        status = BZ2_bzDecompress(&stream.is);
        bool const moved = stream.took(read, written);
        if (status == BZ_OK && !moved) status = BZ_DATA_ERROR;  // it needs more input or more room
      }
      if (status != BZ_STREAM_END) expect_ok(status == BZ_OK ? BZ_DATA_ERROR : status, from, to);
    } while (read < from.size);
    return written;
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    Stream stream{BZ2_bzCompressEnd};
    if (BZ2_bzCompressInit(&stream.is, level, 0, 0) != BZ_OK) throw Error{"cannot allocate a bzip2 compressor"};
    std::size_t written = 0, read = 0;
    for (int status = BZ_FINISH_OK; status != BZ_STREAM_END;) {
      stream.give(from, read, to, written);
      status = BZ2_bzCompress(&stream.is, read + stream.is.avail_in == from.size ? BZ_FINISH : BZ_RUN);
      bool const moved = stream.took(read, written);
      if (status < 0 || (!moved && status != BZ_STREAM_END))
        throw CodecError{to_text({from.size, " bytes do not fit into ", to.size, " as bzip2"})};
    }
    return written;
  }

 private:
  struct Stream {
    explicit Stream(int (*end)(bz_stream*)) : finish{end} {}
    Stream(Stream const&) = delete;
    Stream& operator=(Stream const&) = delete;
    ~Stream() { finish(&is); }

    // The library counts in 32 bits.
    void give(ByteView<space::Host> from, std::size_t read, ByteSpan<space::Host> to, std::size_t written) {
      is.next_in = const_cast<char*>(reinterpret_cast<char const*>(from.data + read));
      is.avail_in = given_in = static_cast<unsigned>(std::min<std::size_t>(from.size - read, UINT_MAX));
      is.next_out = reinterpret_cast<char*>(to.data + written);
      is.avail_out = given_out = static_cast<unsigned>(std::min<std::size_t>(to.size - written, UINT_MAX));
    }
    bool took(std::size_t& read, std::size_t& written) const {
      read += given_in - is.avail_in;
      written += given_out - is.avail_out;
      return given_in != is.avail_in || given_out != is.avail_out;
    }

    bz_stream is{};
    unsigned given_in = 0, given_out = 0;
    int (*finish)(bz_stream*);
  };

  static void expect_ok(int status, ByteView<space::Host> from, ByteSpan<space::Host> to) {
    if (status == BZ_MEM_ERROR) throw Error{"cannot allocate a bzip2 decompressor"};
    if (status < 0)
      throw CodecError{to_text({from.size, " bytes do not decode to ", to.size,
                                ": not complete, valid bzip2 streams, or more data than expected"})};
  }
};

}  // namespace codec
}}  // namespace tessera::v0
