// nvcomp::Zstd, Gzip and Lz4 (numcodecs'): codecs that nvCOMP decodes and encodes in device memory. blosc and
// numcodecs' zlib have separate headers. Needs nvCOMP 6 (NVIDIA's licence: not redistributed): link tessera::nvcomp.
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
#include <tessera/with/detail/nvcomp/nvcomp_decode.cuh>
#include <tessera/with/detail/nvcomp/nvcomp_encode.cuh>

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

}  // namespace nvcomp
}}  // namespace tessera::v0
