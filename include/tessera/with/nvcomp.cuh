// nvcomp::Zstd, Gzip, Lz4 and Zlib (both numcodecs'), Blosc and BloscLz4: codecs that nvCOMP decodes and encodes in device
// memory. Needs nvCOMP 6 (NVIDIA's licence: not redistributed): link tessera::nvcomp.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>

#if !__has_include(<nvcomp.h>)
#error "tessera/with/nvcomp.cuh needs nvCOMP: pip download --no-deps nvidia-libnvcomp-cu13, and see docs/building.md"
#endif
#include <nvcomp.h>
#if NVCOMP_VER_MAJOR < 6
#error "tessera/with/nvcomp.cuh needs nvCOMP 6 or newer"
#endif

#include <tessera/codec/bytes_to_bytes/detail/lz4_frame.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/with/detail/nvcomp/nvcomp_blosc_codec.cuh>
#include <tessera/with/detail/nvcomp/nvcomp_blosc_streams.cuh>
#include <tessera/with/detail/nvcomp/nvcomp_decode.cuh>
#include <tessera/with/detail/nvcomp/nvcomp_encode.cuh>
#include <tessera/with/detail/nvcomp/nvcomp_zlib_decode.cuh>
#include <tessera/with/detail/nvcomp/nvcomp_zlib_encode.cuh>

namespace tessera { inline namespace v0 {

/// Codecs for device memory: they decode what the host codecs of these names wrote, and encode what those read. A
/// mini-batch costs one copy of a list, one or two launches, one copy of answers and one wait for them. The size in a
/// chunk's frame is checked against the expected size; a chunk with an invalid frame is reported and never decoded.
///
/// A configuration that nvCOMP does not support can be read, but not written: a CodecError names the member.
///
/// nvCOMP's behaviour is undefined for damaged zstd or gzip inside a valid frame. So these codecs need a crc32c after
/// them, which is checked first, or the program declares that it trusts the bytes: Trusted.
namespace nvcomp {

/// One frame per chunk. nvCOMP does not say whether it checks a frame's checksum. Writes level 0, an implementation's
/// own, without a checksum, for chunks of at most 16 MiB.
struct Zstd : detail::DecodedByNvcomp<detail::NvcompZstd>, detail::EncodedByNvcomp<Zstd, detail::NvcompZstdEncoding> {
  static constexpr std::string_view name = "zstd";
  static constexpr bool needs_checked_bytes = true;

  int level = 0;
  bool checksum = false;

  static Zstd from(ObjectReader& configuration) {
    Zstd codec;
    codec.level = configuration.at("level").integer<int>(-131072, 22);
    if (auto const found = configuration.find("checksum")) codec.checksum = found->boolean();
    return codec;
  }
  Value configuration() const { return Members{{"level", Value::integer(level)}, {"checksum", checksum}}; }

  std::size_t encoded_bound(std::size_t decoded) const {  // libzstd's
    constexpr std::size_t small = 128 << 10;
    return decoded + (decoded >> 8) + (decoded < small ? (small - decoded) >> 11 : 0);
  }
};

/// One member per chunk. Writes levels 1 to 9, each with an nvCOMP algorithm of that effort.
struct Gzip : detail::DecodedByNvcomp<detail::NvcompGzip>, detail::EncodedByNvcomp<Gzip, detail::NvcompGzipEncoding> {
  static constexpr std::string_view name = "gzip";
  static constexpr bool needs_checked_bytes = true;

  int level = 5;

  static Gzip from(ObjectReader& configuration) {
    Gzip codec;
    codec.level = configuration.at("level").integer<int>(0, 9);
    return codec;
  }
  Value configuration() const { return Members{{"level", Value::integer(level)}}; }

  /// nvCOMP's bound: more than twice as much, and at least 72 KiB; zlib's for chunks that nvCOMP does not encode.
  std::size_t encoded_bound(std::size_t decoded) const {
    std::size_t bound = 0;
    (void)::nvcompBatchedGzipCompressGetMaxOutputChunkSize(decoded, {}, &bound);
    constexpr std::size_t together = 16;  // bytes: aligns consecutive results for nvCOMP
    return (std::max(bound, decoded + (decoded >> 10) + 64) + together - 1) / together * together;
  }
};

/// numcodecs' lz4, by zarr-python's name in Zarr v3. nvCOMP reports damaged chunks. Writes acceleration 1, the default,
/// for chunks of at most 16 MiB.
struct Lz4 : detail::DecodedByNvcomp<detail::NvcompLz4>, detail::EncodedByNvcomp<Lz4, detail::NvcompLz4Encoding> {
  static constexpr std::string_view name = "numcodecs.lz4";

  int acceleration = 1;

  static Lz4 from(ObjectReader& configuration) {
    Lz4 codec;
    if (auto const found = configuration.find("acceleration")) codec.acceleration = found->integer<int>();
    return codec;
  }
  Value configuration() const { return Members{{"acceleration", Value::integer(acceleration)}}; }

  std::size_t encoded_bound(std::size_t decoded) const {  // liblz4's
    return detail::Lz4Frame::header + decoded + decoded / 255 + 16;
  }
};

/// The same codec for bytes that the program trusts: their writer is trusted, and they are undamaged. Otherwise
/// behaviour is undefined.
template <class C>
requires(C::needs_checked_bytes) struct Trusted : C {
  static constexpr bool needs_checked_bytes = false;

  static Trusted from(ObjectReader& configuration) {
    Trusted codec;
    static_cast<C&>(codec) = C::from(configuration);
    return codec;
  }
};

/// numcodecs' zlib, by zarr-python's name in Zarr v3: one stream per chunk. Its checksum is not checked. Writes every
/// level, each with an nvCOMP algorithm of that effort; 0 stores bytes uncompressed.
struct Zlib : detail::DecodedByNvcomp<detail::NvcompDeflate>, detail::ZlibEncodedByNvcomp<Zlib> {
  static constexpr std::string_view name = "numcodecs.zlib";
  static constexpr bool needs_checked_bytes = true;

  int level = 1;

  static Zlib from(ObjectReader& configuration) {
    Zlib codec;
    if (auto const found = configuration.find("level")) codec.level = found->integer<int>(-1, 9);
    return codec;
  }
  Value configuration() const { return Members{{"level", Value::integer(level)}}; }

  std::size_t encoded_bound(std::size_t decoded) const {  // zlib's, or more
    return decoded + (decoded >> 12) + (decoded >> 14) + (decoded >> 25) + 64;
  }
};

/// blosc with lz4, lz4hc, zlib, zstd or snappy inside, by the chunk's header; codec::Blosc decodes blosclz on the host.
/// Every offset and size of a chunk is checked before nvCOMP sees a stream. The contents of zlib, zstd and snappy
/// streams are not, so their bytes must be checked or trusted; those of lz4 need not be: BloscLz4. Writes lz4 and zstd.
struct Blosc
    : detail::BloscByNvcomp<detail::BloscOfLz4, detail::BloscOfSnappy, detail::BloscOfZlib, detail::BloscOfZstd>,
      detail::BloscEncodedByNvcomp<Blosc, detail::NvcompLz4InBlosc, detail::NvcompZstdInBlosc> {
  static constexpr bool needs_checked_bytes = true;
  static constexpr char const* writes = "lz4 and zstd";

  static Blosc from(ObjectReader& configuration) {
    Blosc codec;
    codec.cname = configuration.at("cname").one_of({"lz4", "lz4hc", "zstd", "snappy", "zlib", "blosclz"});
    if (codec.cname == "blosclz")
      throw MetadataError{"nvcomp::Blosc does not decode blosclz: codec::Blosc does, on the host"};
    codec.take(configuration);
    return codec;
  }
};

/// blosc with only lz4 or lz4hc inside. nvCOMP reports damaged LZ4, so bytes may come from any source. Writes lz4.
struct BloscLz4 : detail::BloscByNvcomp<detail::BloscOfLz4>,
                  detail::BloscEncodedByNvcomp<BloscLz4, detail::NvcompLz4InBlosc> {
  static constexpr char const* writes = "only lz4";

  static BloscLz4 from(ObjectReader& configuration) {
    BloscLz4 codec;
    codec.cname = configuration.at("cname").one_of({"lz4", "lz4hc", "zstd", "snappy", "zlib", "blosclz"});
    if (codec.cname != "lz4" && codec.cname != "lz4hc")
      throw MetadataError{
          to_text({"nvcomp::BloscLz4 does not decode ", codec.cname, ": ",
                   codec.cname == "blosclz" ? "codec::Blosc does, on the host" : "nvcomp::Blosc does"})};
    codec.take(configuration);
    return codec;
  }
};

}  // namespace nvcomp
}}  // namespace tessera::v0
