// nvcomp::Zlib: numcodecs' zlib in device memory, decoded by nvCOMP's deflate, encoded by its gzip. Needs nvCOMP 6:
// link tessera::nvcomp.
#pragma once
#include <cstddef>
#include <string_view>

#include <tessera/codec/bytes_to_bytes/detail/zlib_frame.hpp>
#include <tessera/with/detail/nvcomp/nvcomp_zlib_encode.cuh>
#include <tessera/with/nvcomp.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

struct NvcompDeflate {
  using Frame = ZlibFrame;
  static constexpr char const* name = "nvcompBatchedDeflate";
  static constexpr auto alignments = &::nvcompBatchedDeflateDecompressGetRequiredAlignments;
  static constexpr auto temporary = &::nvcompBatchedDeflateDecompressGetTempSize;
  static constexpr auto decompress = &::nvcompBatchedDeflateDecompressAsync;
  static constexpr nvcompBatchedDeflateDecompressOpts_t options{NVCOMP_DECOMPRESS_BACKEND_CUDA, 0, {}};
  static constexpr std::size_t most = nvcompDeflateDecompressionMaxAllowedChunkSize;
  static constexpr bool is_given_copies = true;  // it reads at multiples of four; a deflate stream begins at two
};

}  // namespace detail

namespace nvcomp {

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

}  // namespace nvcomp
}}  // namespace tessera::v0
