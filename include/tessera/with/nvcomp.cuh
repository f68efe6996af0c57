// Codecs that nvCOMP decodes and encodes in device memory: zstd, gzip, and numcodecs' lz4; blosc and numcodecs' zlib
// have headers of their own. Needs nvCOMP 6 (NVIDIA's licence: it is not passed on): link tessera::nvcomp.
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

#include <tessera/codec/bytes_to_bytes/lz4_frame.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/with/nvcomp_decode.cuh>
#include <tessera/with/nvcomp_encode.cuh>

namespace tessera { inline namespace v0 {

/// Codecs that decode in device memory what the host's codecs of these names wrote, and encode what those read. A
/// mini-batch is one copy of a list, one or two launches, one copy of answers and one wait for these. What a chunk says
/// of its size is held against what it should decode to, and where its frame is not sound it is named and never
/// decoded.
///
/// A configuration that nvCOMP has nothing for is read as any other, and not written: a CodecError names the member.
///
/// nvCOMP's behaviour is undefined where zstd or gzip are damaged behind a sound frame. So they want a crc32c behind
/// them, which is checked first, or the program's word: Trusted.
namespace nvcomp {

/// One frame in each chunk. Whether a checksum within it is checked, nvCOMP does not say. Writes level 0, an
/// implementation's own, without a checksum, of chunks of at most 16 MiB.
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

/// One member in each chunk. Writes levels 1 to 9, each by what nvCOMP has of that effort.
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

  /// nvCOMP's, which is more than twice as much, and no less than 72 KiB; zlib's where nvCOMP encodes no such chunk.
  std::size_t encoded_bound(std::size_t decoded) const {
    std::size_t bound = 0;
    (void)::nvcompBatchedGzipCompressGetMaxOutputChunkSize(decoded, {}, &bound);
    constexpr std::size_t together = 16;  // bytes: results that follow each other lie where nvCOMP writes
    return (std::max(bound, decoded + (decoded >> 10) + 64) + together - 1) / together * together;
  }
};

/// numcodecs' lz4, as zarr-python names it in Zarr v3. Of damaged chunks nvCOMP says that they are. Writes acceleration
/// 1, which is the default, of chunks of at most 16 MiB.
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

/// The same codec, where the program vouches for its bytes: that whoever wrote them is trusted, and that they came
/// whole. Where they did not, anything may happen.
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
